; What an editor can fold.

[
  (compound_statement)
  (field_declaration_list)
  (enumerator_list)
  (initializer_list)
] @block

(comment) @comment
