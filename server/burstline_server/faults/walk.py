"""Reading one section: scopes, types as far as they are certain, and what C refuses in statements and expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of
from burstline_server.faults.delimiters import Broken
from burstline_server.faults.known import is_known, is_type, result_of
from burstline_server.faults.section import Declares, Definition, Free, Section, Use
from burstline_server.faults.types import (
    FLOAT,
    INT,
    UNKNOWN,
    Type,
    combined,
    element,
    named,
    of_lanes,
    pointer,
    swizzle,
)
from burstline_server.source.mask import Note

MAX_DEPTH = 150
"""Deepest nesting of syntax that is looked into."""
_BITS = {"%", "&", "|", "^", "<<", ">>", "%=", "&=", "|=", "^=", "<<=", ">>="}
_TRUTH = {"==", "!=", "<", ">", "<=", ">=", "&&", "||"}


@dataclass(slots=True)
class Walk:
    """The reading of one section. `start` is where the section stands in the text that the tree counts in."""

    start: int
    notes: tuple[Note, ...]
    section: Section = field(default_factory=Section)
    scopes: list[dict[str, Type]] = field(default_factory=list)
    types: dict[str, Type] = field(default_factory=dict)
    calls: set[str] = field(default_factory=set)
    returns: Type = UNKNOWN
    depth: int = 0

    # -- reporting -----------------------------------------------------------------------------------

    def refuse(self, node: Node, message: str) -> None:
        """Write down what the compiler refuses."""
        self.section.refused.append(Broken(node.start_byte - self.start, node.end_byte - self.start, message))

    def free(self, node: Node, use: Use, arguments: int = -1) -> None:
        """A name that must be declared elsewhere."""
        low, high = node.start_byte - self.start, node.end_byte - self.start
        self.section.free.append(Free(text_of(node), low, high, use, arguments))

    def noted(self, start: int, end: int) -> set[str]:
        """The qualifiers that were masked in a range of the tree's text."""
        return {n.text.strip("_") for n in self.notes if n.kind == "qualifier" and start <= n.start < end}

    def is_channel(self, node: Node) -> bool:
        """Whether a declaration is one of channels or pipes."""
        return any(n.kind == "channel" and _before(node) <= n.start < node.end_byte for n in self.notes)

    # -- names ---------------------------------------------------------------------------------------

    def lookup(self, name: str) -> Type | None:
        """The innermost declaration of a name that the section has."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def declare(self, node: Node, name: str, type_: Type) -> None:
        """Declare a variable in the innermost scope."""
        if not self.scopes:
            constant = type_.const or (type_.kind == "array" and type_.to is not None and type_.to.const)
            function = type_.kind == "function"
            one = Declares(name, "function", type_.lanes) if function else Declares(name, "variable", constant=constant)
            self.section.declares.append(one)
            return
        if name in self.scopes[-1] and self.scopes[-1][name].kind != "function":
            self.refuse(node, f"redefinition of '{name}'")
        self.scopes[-1][name] = type_
        self.section.locals.add(name)

    # -- declarations --------------------------------------------------------------------------------

    def specifier(self, node: Node) -> Type:
        """The type that a declaration's specifiers name."""
        type_node = node.child_by_field_name("type")
        if type_node is None:
            return UNKNOWN
        found = self.type_of(type_node)
        words = {text_of(c) for c in node.children if c.type == "type_qualifier"}
        constant = "const" in words or "constant" in self.noted(_before(node), _reach(node))
        return found.constant() if constant else found

    def type_of(self, node: Node) -> Type:
        """The type that a specifier names; what it declares on the way is declared."""
        if node.type in {"struct_specifier", "union_specifier"}:
            return self._structure(node)
        if node.type == "enum_specifier":
            self._enumerators(node)
            return INT
        name = text_of(node)
        if node.type == "sized_type_specifier":
            for inner in node.named_children:
                self.type_of(inner)
            return named(name)
        if name in self.types:
            return self.types[name]
        found = named(name)
        if (
            found.kind == "unknown"
            and not is_type(name)
            and self.lookup(name) is None
            and node.type == "type_identifier"
        ):
            self.free(node, "type")
        return found

    def _structure(self, node: Node) -> Type:
        tag, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if body is not None:
            for declaration in body.named_children:
                if declaration.type != "field_declaration":
                    self.other(declaration)
                    continue
                base = self.specifier(declaration)
                for declarator in declaration.children_by_field_name("declarator"):
                    self.section.members.add(self.declarator(declarator, base)[0])
        name = text_of(tag) if tag is not None else "?"
        return Type("struct", f"struct {name}")

    def _enumerators(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        for item in body.named_children if body is not None else []:
            name = item.child_by_field_name("name")
            if name is not None:
                self.section.locals.add(text_of(name))
                if self.scopes:
                    self.scopes[-1][text_of(name)] = INT.constant()
                else:
                    self.section.declares.append(Declares(text_of(name), "variable", constant=True))
            self.value(item.child_by_field_name("value"))

    def declarator(self, node: Node | None, base: Type) -> tuple[str, Type, Node | None]:
        """Name and type that a declarator makes of a base, and where the name stands."""
        while node is not None:
            inner = node.child_by_field_name("declarator")
            match node.type:
                case "identifier" | "field_identifier" | "type_identifier":
                    return text_of(node), base, node
                case "pointer_declarator" | "abstract_pointer_declarator":
                    words = {text_of(c) for c in node.children if c.type == "type_qualifier"}
                    base = replace(pointer(base), const="const" in words)
                case "array_declarator" | "abstract_array_declarator":
                    self.constant(node.child_by_field_name("size"))
                    base = Type("array", f"{base.name}[]", base)
                case "function_declarator" | "abstract_function_declarator":
                    parameters = node.child_by_field_name("parameters")
                    plain = inner is not None and inner.type == "identifier"
                    base = Type("function", "function", base, _parameter_count(parameters)) if plain else UNKNOWN
                case "parenthesized_declarator" | "attributed_declarator":
                    inner = next((c for c in node.named_children if c.type != "comment"), None)
                case "init_declarator" | "bitfield_clause":
                    pass
                case _:
                    return "", UNKNOWN, None
            node = inner
        return "", base, None

    def declaration(self, node: Node) -> None:
        """A declaration of variables, or of functions."""
        base = self.specifier(node)
        channel = self.is_channel(node)
        for declarator in node.children_by_field_name("declarator"):
            name, type_, place = self.declarator(declarator, base)
            if type_.kind == "function":
                self._prototype(declarator)
            if place is not None:
                self.declare(place, name, UNKNOWN if channel else type_)
            value = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
            if value is not None and value.type == "initializer_list":
                self.other(value)
            elif value is not None:
                self._fits(value, type_, self.value(value))

    def _prototype(self, declarator: Node) -> None:
        self.scopes.append({})
        for parameter in _parameters(declarator):
            self.declarator(parameter.child_by_field_name("declarator"), self.specifier(parameter))
        self.scopes.pop()

    def typedef(self, node: Node) -> None:
        """Types that get a name."""
        base = self.specifier(node)
        for declarator in node.children_by_field_name("declarator"):
            name, type_, _ = self.declarator(declarator, base)
            if self.scopes:
                self.types[name] = type_
            self.section.declares.append(Declares(name, "type"))

    def function(self, node: Node) -> None:
        """A function's definition."""
        declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
        result = self.specifier(node)
        name, type_, place = self.declarator(declarator, result)
        returns = type_.to if type_.kind == "function" and type_.to is not None else UNKNOWN
        head = declarator.start_byte if declarator is not None else node.start_byte
        kernel = "kernel" in self.noted(_before(node), head)
        if place is not None and type_.kind == "function":
            self.section.declares.append(Declares(name, "function", type_.lanes))
        if kernel and returns.kind not in {"void", "unknown"}:
            self.refuse(node.child_by_field_name("type") or node, f"a kernel must return void, not '{returns.name}'")
        self.returns, self.calls = returns, set()
        self.scopes.append({})
        for parameter in _parameters(declarator):
            own, own_type, at = self.declarator(parameter.child_by_field_name("declarator"), self.specifier(parameter))
            if at is not None:
                kept = own_type if not self.is_channel(parameter) else UNKNOWN
                self.declare(at, own, replace(kept, kind="pointer") if kept.kind == "array" else kept)
        if body is not None:
            for child in body.named_children:
                self.statement(child)
        self.scopes.clear()
        self.types.clear()
        if place is not None:
            low, high = place.start_byte - self.start, place.end_byte - self.start
            whole = (node.start_byte - self.start, node.end_byte - self.start)
            self.section.definitions.append(Definition(name, *whole, low, high, kernel, frozenset(self.calls)))

    # -- statements ----------------------------------------------------------------------------------

    def statement(self, node: Node) -> None:
        """Any statement or declaration."""
        self.depth += 1
        if self.depth < MAX_DEPTH:
            _STATEMENTS.get(node.type, Walk.other)(self, node)
        self.depth -= 1

    def block(self, node: Node) -> None:
        """Statements with a scope of their own."""
        self.scopes.append({})
        for child in node.named_children:
            self.statement(child)
        self.scopes.pop()

    def other(self, node: Node) -> None:
        """What is made of statements and expressions alone."""
        if node.type == "initializer_pair":
            self.value(node.child_by_field_name("value"))
            return
        for child in node.named_children:
            self.statement(child)

    def label(self, node: Node) -> None:
        """A statement with a label, whose name is none of the variables'."""
        for child in node.named_children:
            if child.type != "statement_identifier":
                self.statement(child)

    def case(self, node: Node) -> None:
        """A case of a switch."""
        value = node.child_by_field_name("value")
        self.constant(value)
        for child in node.named_children:
            if value is None or child.id != value.id:
                self.statement(child)

    def returned(self, node: Node) -> None:
        """A return statement."""
        value = next((c for c in node.named_children if c.type != "comment"), None)
        if value is None:
            return
        type_ = self.value(value)
        if self.returns.kind == "void" and type_.kind != "void":
            self.refuse(node, "a function that returns void must not return a value")

    def constant(self, node: Node | None) -> None:
        """An expression that must be constant: its unknown names are the build's, as a rule."""
        if node is None:
            return
        first = len(self.section.free)
        self.value(node)
        for number in range(first, len(self.section.free)):
            if self.section.free[number].use == "value":
                self.section.free[number] = replace(self.section.free[number], use="constant")

    # -- expressions ---------------------------------------------------------------------------------

    def value(self, node: Node | None) -> Type:
        """The type of an expression, unknown where it is not certain."""
        if node is None or self.depth >= MAX_DEPTH:
            return UNKNOWN
        self.depth += 1
        handler = _EXPRESSIONS.get(node.type)
        found = handler(self, node) if handler is not None else self._unknown(node)
        self.depth -= 1
        return found

    def _unknown(self, node: Node) -> Type:
        self.other(node)
        return UNKNOWN

    def name(self, node: Node) -> Type:
        """A name as a value."""
        text = text_of(node)
        found = self.lookup(text)
        if found is None:
            if text not in self.types and not is_known(text):
                self.free(node, "value")
            return UNKNOWN
        return found

    def number(self, node: Node) -> Type:
        """A literal."""
        text = text_of(node).lower()
        real = not text.startswith("0x") and ("." in text or "e" in text or text.endswith("f"))
        return FLOAT if real else INT

    def inner(self, node: Node) -> Type:
        """An expression in parentheses."""
        found = UNKNOWN
        for child in node.named_children:
            found = self.value(child)
        return found

    def subscript(self, node: Node) -> Type:
        """An element of an array, or of what a pointer points to."""
        argument, index = node.child_by_field_name("argument"), node.child_by_field_name("index")
        base, place = self.value(argument), self.value(index)
        if base.scalar and place.kind not in {"pointer", "array", "unknown"}:
            self.refuse(argument or node, f"subscripted value of type '{base.name}' is no array or pointer")
        elif base.kind in {"pointer", "array"} and place.kind in {"real", "vector", "pointer", "struct"}:
            self.refuse(index or node, f"array subscript of type '{place.name}' is not an integer")
        return element(base)

    def member(self, node: Node) -> Type:
        """A member of a structure, or lanes of a vector."""
        base, member = self.value(node.child_by_field_name("argument")), node.child_by_field_name("field")
        name = text_of(member) if member is not None else ""
        arrow = any(c.type == "->" for c in node.children)
        aim = (base.to or UNKNOWN) if arrow and base.kind in {"pointer", "array"} else UNKNOWN if arrow else base
        if member is None:
            return UNKNOWN
        if base.scalar or (not arrow and base.kind == "pointer") or (arrow and aim.scalar):
            self.refuse(member, f"no member '{name}' in '{base.name}'")
        elif aim.kind == "vector":
            lanes = swizzle(name, aim.lanes)
            if not lanes:
                self.refuse(member, f"'{aim.name}' has no element '{name}'")
            return of_lanes(aim, lanes) if lanes else UNKNOWN
        else:
            self.free(member, "member")
        return Type("unknown", const=aim.const)

    def call(self, node: Node) -> Type:
        """A call, or a vector made of its elements."""
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        arguments = [c for c in given.named_children if c.type != "comment"] if given is not None else []
        for argument in arguments:
            self.value(argument) if argument.type != "compound_statement" else self.statement(argument)
        if function is None or function.type != "identifier":
            made = text_of(function).strip("() \n\t") if function is not None else ""
            self.value(function)
            return named(made) if function is not None and function.type == "parenthesized_expression" else UNKNOWN
        name = text_of(function)
        known = self.lookup(name)
        if known is not None:
            if known.kind in {"integer", "real", "vector", "struct"}:
                self.refuse(function, f"'{name}' is not a function: it is a '{known.name}'")
            return known.to or UNKNOWN if known.kind == "function" else UNKNOWN
        self.calls.add(name)
        self.free(function, "call", len(arguments))
        return result_of(name)

    def unary(self, node: Node) -> Type:
        """``-x``, ``!x``, ``~x``."""
        operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        found = self.value(argument)
        sign = text_of(operator) if operator is not None else ""
        if sign == "~" and found.real:
            self.refuse(node, f"'~' does not take a '{found.name}'")
        return INT if sign == "!" and found.kind != "vector" else replace(found, const=False)

    def aimed(self, node: Node) -> Type:
        """``*p`` and ``&x``."""
        operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        found = self.value(argument)
        if operator is None or text_of(operator) == "&":
            return pointer(found)
        if found.scalar or found.kind in {"vector", "struct"}:
            self.refuse(node, f"'*' needs a pointer, not a '{found.name}'")
        return element(found) if found.kind in {"pointer", "array"} else UNKNOWN

    def binary(self, node: Node) -> Type:
        """Two operands."""
        operator = node.child_by_field_name("operator")
        left, right = (self.value(node.child_by_field_name(side)) for side in ("left", "right"))
        sign = text_of(operator) if operator is not None else ""
        self._operands(node, sign, left, right)
        if sign in _TRUTH:
            return INT if left.scalar and right.scalar else UNKNOWN
        return combined(left, right)

    def _operands(self, node: Node, sign: str, left: Type, right: Type) -> None:
        certain = left.kind != "unknown" and right.kind != "unknown"
        bits = sign in _BITS and (left.real or right.real)
        void = certain and "void" in {left.kind, right.kind}
        structure = certain and "struct" in {left.kind, right.kind} and sign not in {"=", "=="}
        product = sign in {"*", "/", "*=", "/="} and "pointer" in {left.kind, right.kind} and certain
        if (bits and certain) or void or structure or product:
            self.refuse(node, f"'{sign}' does not take a '{left.name}' and a '{right.name}'")

    def assignment(self, node: Node) -> Type:
        """``x = y`` and its like."""
        target, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
        left, right = self.value(target), self.value(node.child_by_field_name("right"))
        self._assigned(target, left)
        sign = text_of(operator) if operator is not None else "="
        if sign != "=":
            self._operands(node, sign, left, right)
        else:
            self._fits(node.child_by_field_name("right") or node, left, right)
        return replace(left, const=False)

    def update(self, node: Node) -> Type:
        """``x++`` and its like."""
        target = node.child_by_field_name("argument")
        found = self.value(target)
        self._assigned(target, found)
        return replace(found, const=False)

    def _assigned(self, target: Node | None, type_: Type) -> None:
        """What is assigned to must not be constant."""
        if target is None:
            return
        base = target
        while base.type in {"subscript_expression", "parenthesized_expression", "field_expression"}:
            inner = base.child_by_field_name("argument") or next(iter(base.named_children), None)
            if inner is None or any(c.type == "->" for c in base.children):
                break
            base = inner
        if type_.const:
            what = f"'{text_of(base)}'" if base.type == "identifier" else "this"
            self.refuse(target, f"cannot assign to {what}: it is constant")
        elif base.type == "identifier" and self.lookup(text_of(base)) is None and not is_known(text_of(base)):
            self.free(base, "written")

    def _fits(self, node: Node, left: Type, right: Type) -> None:
        """Whether a value can be assigned, where both types are certain."""
        one_pointer = {left.kind, right.kind} >= {"pointer"} and (left.real or right.real)
        structure = "struct" in {left.kind, right.kind} and (left.scalar or right.scalar)
        narrowed = left.scalar and right.kind == "vector"
        lanes = left.kind == "vector" == right.kind and left.lanes != right.lanes
        if one_pointer or structure or narrowed or lanes or (right.kind == "void" and left.kind != "unknown"):
            self.refuse(node, f"a '{right.name}' is no value for a '{left.name}'")

    def conditional(self, node: Node) -> Type:
        """``a ? b : c``."""
        self.value(node.child_by_field_name("condition"))
        a, b = (self.value(node.child_by_field_name(side)) for side in ("consequence", "alternative"))
        return combined(a, b) if a.scalar and b.scalar else a if a == b else UNKNOWN

    def cast(self, node: Node) -> Type:
        """``(type)x``."""
        self.value(node.child_by_field_name("value"))
        described = node.child_by_field_name("type")
        return self.described(described) if described is not None else UNKNOWN

    def described(self, node: Node) -> Type:
        """The type in a cast or a ``sizeof``."""
        base = self.specifier(node)
        return self.declarator(node.child_by_field_name("declarator"), base)[1]

    def sized(self, node: Node) -> Type:
        """``sizeof``."""
        type_ = node.child_by_field_name("type")
        self.described(type_) if type_ is not None else self.value(node.child_by_field_name("value"))
        return Type("integer", "size_t")

    def listed(self, node: Node) -> Type:
        """A value of two after one another."""
        self.value(node.child_by_field_name("left"))
        return self.value(node.child_by_field_name("right"))

    def literal(self, node: Node) -> Type:
        """``(type){…}``."""
        type_, inside = node.child_by_field_name("type"), node.child_by_field_name("value")
        found = self.described(type_) if type_ is not None else UNKNOWN
        if inside is not None:
            self.other(inside)
        return found


def _before(node: Node) -> int:
    """Where the syntax before a node ends: what is masked in between belongs to it."""
    before = node.prev_sibling
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    return (
        before.end_byte
        if before is not None
        else 0
        if node.parent is None or node.parent.parent is None
        else node.parent.start_byte
    )


def _reach(node: Node) -> int:
    """How far the qualifiers of a declaration's type may stand: up to its first declarator."""
    declarator = node.child_by_field_name("declarator")
    if declarator is None:
        return node.end_byte
    return declarator.start_byte


def _parameters(declarator: Node | None) -> list[Node]:
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    return [p for p in parameters.named_children if p.type == "parameter_declaration"] if parameters is not None else []


def _parameter_count(parameters: Node | None) -> int:
    """How many arguments a function takes; -1 for any number."""
    inside = [c for c in parameters.named_children if c.type != "comment"] if parameters is not None else []
    if any(c.type != "parameter_declaration" for c in inside):
        return -1
    return 0 if len(inside) == 1 and text_of(inside[0]).split() == ["void"] else len(inside)


_STATEMENTS: dict[str, Callable[[Walk, Node], object]] = {
    "function_definition": Walk.function, "declaration": Walk.declaration, "type_definition": Walk.typedef,
    "struct_specifier": Walk.type_of, "union_specifier": Walk.type_of, "enum_specifier": Walk.type_of,
    "compound_statement": Walk.block, "for_statement": Walk.block, "labeled_statement": Walk.label,
    "case_statement": Walk.case, "return_statement": Walk.returned, "goto_statement": lambda _walk, _node: None,
    "parenthesized_expression": Walk.value, "identifier": Walk.value, "number_literal": Walk.value,
    "subscript_expression": Walk.value, "field_expression": Walk.value, "call_expression": Walk.value,
    "unary_expression": Walk.value, "pointer_expression": Walk.value, "binary_expression": Walk.value,
    "assignment_expression": Walk.value, "update_expression": Walk.value, "conditional_expression": Walk.value,
    "cast_expression": Walk.value, "sizeof_expression": Walk.value, "comma_expression": Walk.value,
    "compound_literal_expression": Walk.value, "type_descriptor": Walk.described,
}  # fmt: skip
_EXPRESSIONS: dict[str, Callable[[Walk, Node], Type]] = {
    "identifier": Walk.name, "number_literal": Walk.number, "parenthesized_expression": Walk.inner,
    "subscript_expression": Walk.subscript, "field_expression": Walk.member, "call_expression": Walk.call,
    "unary_expression": Walk.unary, "pointer_expression": Walk.aimed, "binary_expression": Walk.binary,
    "assignment_expression": Walk.assignment, "update_expression": Walk.update,
    "conditional_expression": Walk.conditional, "cast_expression": Walk.cast, "sizeof_expression": Walk.sized,
    "comma_expression": Walk.listed, "compound_literal_expression": Walk.literal,
}  # fmt: skip
