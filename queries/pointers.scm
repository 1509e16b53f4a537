; Every pointer that a declaration or a cast writes.

[(pointer_declarator) (abstract_pointer_declarator)] @pointer
