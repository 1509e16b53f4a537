; What declares names, and the scopes they live in.

[
  (function_definition)
  (compound_statement)
  (for_statement)
] @scope
; A function that is still being written has no body yet: it is an error of the file.
(translation_unit (ERROR) @scope)

(_ declarator: [(identifier) (type_identifier) (field_identifier)] @declared)
(parenthesized_declarator (identifier) @declared)
(pointer_declarator (identifier) @declared)
(enumerator name: (identifier) @declared)
(struct_specifier name: (type_identifier) @declared body: (_))
(union_specifier name: (type_identifier) @declared body: (_))
(enum_specifier name: (type_identifier) @declared body: (_))
