; What the grammar takes and C does not: a call taken for a type, an assignment taken for an operand.

(macro_type_specifier) @odd
(binary_expression right: (assignment_expression) @odd)
(unary_expression argument: (assignment_expression) @odd)
(cast_expression value: (assignment_expression) @odd)
