; Function definitions with their names, for the outline. Kernels are functions whose qualifier is masked.

(function_definition
  declarator: [
    (function_declarator
      declarator: (identifier) @function.name)
    (pointer_declarator
      declarator: (function_declarator
        declarator: (identifier) @function.name))
  ]) @function.definition
