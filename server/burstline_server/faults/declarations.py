"""What a section declares: variables, types and functions, and what C refuses in it."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of
from burstline_server.analysis.parameters import is_untyped
from burstline_server.faults.certain_types import INT, UNKNOWN, Type, named, pointer
from burstline_server.faults.known_names import is_type
from burstline_server.faults.section import Declares, Definition
from burstline_server.faults.section_reading import Walk, syntax_before


def declaration(walk: Walk, node: Node) -> None:
    """A declaration of variables, or of functions."""
    base = specifier(walk, node)
    channel = walk.is_channel(node)
    for declarator in node.children_by_field_name("declarator"):
        name, type_, place = declared(walk, declarator, base)
        if type_.kind == "function":
            _prototype(walk, declarator)
        if place is not None:
            walk.declare(place, name, UNKNOWN if channel else type_)
        value = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
        if value is not None and value.type == "initializer_list":
            walk.other(value)
        elif value is not None:
            walk.check_fits(value, type_, walk.value(value))


def typedef(walk: Walk, node: Node) -> None:
    """Types that get a name."""
    base = specifier(walk, node)
    for declarator in node.children_by_field_name("declarator"):
        name, type_, _ = declared(walk, declarator, base)
        if walk.scopes:
            walk.types[name] = type_
        walk.section.declares.append(Declares(name, "type"))


def function(walk: Walk, node: Node) -> None:
    """A function's definition; C has none in another one."""
    outside = len(walk.scopes), dict(walk.types), walk.returns, walk.calls, walk.leaves
    declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
    if walk.scopes:
        brace = body.children[0] if body is not None and body.children else node
        walk.refuse(brace, "function definition is not allowed here")
    result = specifier(walk, node)
    name, type_, place = declared(walk, declarator, result)
    returns = type_.to if type_.kind == "function" and type_.to is not None else UNKNOWN
    head = declarator.start_byte if declarator is not None else node.start_byte
    kernel = "kernel" in walk.noted(syntax_before(node), head)
    if place is not None and type_.kind == "function":
        walk.section.declares.append(Declares(name, "function", type_.lanes))
    if kernel and returns.kind not in {"void", "unknown"}:
        walk.refuse(node.child_by_field_name("type") or node, f"a kernel must return void, not '{returns.name}'")
    walk.returns, walk.calls, walk.leaves = returns, set(), frozenset()
    walk.scopes.append({})
    for parameter in _parameters(declarator):
        written = parameter.child_by_field_name("type")
        if body is not None and written is not None and is_untyped(parameter) and not _is_type(walk, written):
            walk.declare(written, text_of(written), INT.constant())
            continue
        own, own_type, at = declared(walk, parameter.child_by_field_name("declarator"), specifier(walk, parameter))
        if at is not None:
            kept = own_type if not walk.is_channel(parameter) else UNKNOWN
            walk.declare(at, own, replace(kept, kind="pointer") if kept.kind == "array" else kept)
    if body is not None:
        for child in body.named_children:
            walk.statement(child)
    calls = frozenset(walk.calls)
    depth, walk.types, walk.returns, walk.calls, walk.leaves = outside
    del walk.scopes[depth:]
    if place is not None and not depth:
        low, high = place.start_byte - walk.start, place.end_byte - walk.start
        whole = (node.start_byte - walk.start, node.end_byte - walk.start)
        walk.section.definitions.append(Definition(name, *whole, low, high, kernel, calls))


def _is_type(walk: Walk, node: Node) -> bool:
    return text_of(node) in walk.types or is_type(text_of(node))


def _prototype(walk: Walk, declarator: Node) -> None:
    walk.scopes.append({})
    for parameter in _parameters(declarator):
        declared(walk, parameter.child_by_field_name("declarator"), specifier(walk, parameter))
    walk.scopes.pop()


def specifier(walk: Walk, node: Node) -> Type:
    """The type that a declaration's specifiers name."""
    type_node = node.child_by_field_name("type")
    if type_node is None:
        return UNKNOWN
    found = type_of(walk, type_node)
    words = {text_of(c) for c in node.children if c.type == "type_qualifier"}
    # What the members of a structure are says nothing of what is declared with it.
    noted = walk.noted(syntax_before(node), type_node.start_byte) | walk.noted(type_node.end_byte, _reach(node))
    constant = "const" in words or "constant" in noted
    return found.constant() if constant else found


def type_of(walk: Walk, node: Node) -> Type:
    """The type that a specifier names; what it declares on the way is declared."""
    if node.type in {"struct_specifier", "union_specifier"}:
        return _structure(walk, node)
    if node.type == "enum_specifier":
        _enumerators(walk, node)
        return INT
    name = text_of(node)
    if node.type == "sized_type_specifier":
        for inner in node.named_children:
            type_of(walk, inner)
        return named(name)
    if name in walk.types:
        return walk.types[name]
    found = named(name)
    if found.kind == "unknown" and not is_type(name) and walk.lookup(name) is None and node.type == "type_identifier":
        walk.free(node, "type")
    return found


def described_type(walk: Walk, node: Node) -> Type:
    """The type in a cast or a ``sizeof``."""
    base = specifier(walk, node)
    return declared(walk, node.child_by_field_name("declarator"), base)[1]


def _structure(walk: Walk, node: Node) -> Type:
    tag, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    name = text_of(tag) if tag is not None else "?"
    if body is not None:
        fields: set[str] = set()
        for member in body.named_children:
            if member.type != "field_declaration":
                walk.other(member)
                continue
            base = specifier(walk, member)
            for declarator in member.children_by_field_name("declarator"):
                field, type_, place = declared(walk, declarator, base)
                if place is not None and field in fields:
                    walk.refuse(place, f"redefinition of '{field}'")
                fields.add(field)
                walk.section.members.add(field)
                _needs_complete(walk, member, type_)
        walk.section.tags.add(name)
    elif tag is not None and name not in walk.section.tags:
        walk.free(tag, "tag")
    return Type("struct", f"struct {name}")


def _needs_complete(walk: Walk, member: Node, type_: Type) -> None:
    """A field that is a structure by itself is as large as that one."""
    specified = member.child_by_field_name("type")
    tag = specified.child_by_field_name("name") if specified is not None else None
    while type_.kind == "array" and type_.to is not None:
        type_ = type_.to
    if type_.kind == "struct" and tag is not None and text_of(tag) not in walk.section.tags:
        walk.free(tag, "complete")


def _enumerators(walk: Walk, node: Node) -> None:
    body = node.child_by_field_name("body")
    for item in body.named_children if body is not None else []:
        name = item.child_by_field_name("name")
        if name is not None:
            walk.section.locals.add(text_of(name))
            if walk.scopes:
                walk.scopes[-1][text_of(name)] = INT.constant()
            else:
                walk.section.declares.append(Declares(text_of(name), "variable", constant=True))
        walk.value(item.child_by_field_name("value"))


def declared(walk: Walk, node: Node | None, base: Type) -> tuple[str, Type, Node | None]:
    """Name and type that a declarator makes of a base, and the node of the name."""
    while node is not None:
        inner = node.child_by_field_name("declarator")
        match node.type:
            case "identifier" | "field_identifier" | "type_identifier":
                return text_of(node), base, node
            case "pointer_declarator" | "abstract_pointer_declarator":
                words = {text_of(c) for c in node.children if c.type == "type_qualifier"}
                base = replace(pointer(base), const="const" in words)
            case "array_declarator" | "abstract_array_declarator":
                walk.constant(node.child_by_field_name("size"))
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


def _reach(node: Node) -> int:
    """How far the qualifiers of a declaration's type may reach: up to its first declarator."""
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
