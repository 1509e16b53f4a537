; Every place that writes a name, and those that call one.

(call_expression function: (identifier) @called)
[(identifier) (type_identifier) (field_identifier)] @written
