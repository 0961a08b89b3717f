import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Finds what is wrong with the declaration of a model, as far as the text of the class alone tells. The rest is found by
/// the types of the wrappers, and by the schema.
struct ModelCheck {
    let model: ModelClass
    let context: any MacroExpansionContext

    init(_ model: ModelClass, _ context: some MacroExpansionContext) {
        self.model = model
        self.context = context
    }

    /// Reports all mistakes.
    ///
    /// - Returns: Whether the class can be a model at all.
    func isModel(conformingTo protocols: [TypeSyntax]) -> Bool {
        guard checkClass(conformingTo: protocols) else { return false }
        for member in model.declaration.memberBlock.members { checkMember(member.decl) }
        for property in model.properties { check(property) }
        checkInitializers()
        checkConstraints()
        return true
    }

    // MARK: The class

    static func reportNoClass(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax, _ context: some MacroExpansionContext
    ) {
        var fixIts: [FixIt] = []
        if let structure = declaration.as(StructDeclSyntax.self) {
            fixIts = [.replace("make it a class", structure.structKeyword, with: structure.structKeyword.asClass)]
        }
        let mistake = Mistake(
            id: "noClass", message: "@Model belongs to a class: a model has an identity, and lives in a context")
        context.report(mistake, at: node, fixIts: fixIts)
    }

    private func checkClass(conformingTo protocols: [TypeSyntax]) -> Bool {
        if let generics = model.declaration.genericParameterClause {
            report("generic", "a model class cannot be generic: its entity has one name", at: generics)
            return false
        }
        let inherited = model.declaration.inheritanceClause?.inheritedTypes.map(\.type) ?? []
        let saysSo = inherited.contains { $0.trimmedDescription.hasSuffix("PersistentModel") }
        if protocols.isEmpty, !saysSo, let first = inherited.first {
            report(
                "inheritance", "\(model.name) inherits from a model, which is not supported: use a relationship",
                at: first)
            return false
        }
        return true
    }

    // MARK: Properties

    private func checkMember(_ member: DeclSyntax) {
        if let variable = member.as(VariableDeclSyntax.self) {
            checkWrapperOfComputed(variable)
            checkSeveral(variable)
        }
        guard let condition = member.as(IfConfigDeclSyntax.self) else { return }
        let variables = condition.clauses.flatMap { clause in
            clause.elements?.as(MemberBlockItemListSyntax.self)?.compactMap { $0.decl.as(VariableDeclSyntax.self) }
                ?? []
        }
        for property in variables.flatMap(StoredProperty.all) where !property.isTransient {
            report(
                "conditional", "a stored property of a model cannot depend on #if: mark it @Transient",
                at: property.identifier,
                [addTransient(property)])
        }
    }

    private func checkWrapperOfComputed(_ variable: VariableDeclSyntax) {
        guard StoredProperty.all(in: variable).isEmpty,
            let wrapper = variable.attributes.first(named: "Attribute")
                ?? variable.attributes.first(named: "Relationship")
        else { return }
        var fixed = variable
        fixed.attributes = fixed.attributes.filter { $0.id != wrapper.id }
        fixed.leadingTrivia = variable.leadingTrivia
        report(
            "computed", "a computed property is not stored: remove @\(wrapper.name)", at: wrapper,
            [.replace("remove @\(wrapper.name)", variable, with: fixed)])
    }

    private func checkSeveral(_ variable: VariableDeclSyntax) {
        guard variable.attributes.first(named: "Transient") == nil, !variable.has(.static) else { return }
        if let tuple = variable.bindings.first(where: { $0.pattern.is(TuplePatternSyntax.self) }) {
            report("several", "a property of a model is declared by itself, not in a tuple", at: tuple.pattern)
        }
        guard variable.bindings.count > 1, StoredProperty.all(in: variable).count > 1 else { return }
        report(
            "several", "a property of a model is declared by itself: use one `var` for each", at: variable.bindings,
            [.replace("use one `var` for each", variable.bindings, with: split(variable))])
    }

    /// The bindings with a keyword of their own instead of the commas.
    private func split(_ variable: VariableDeclSyntax) -> PatternBindingListSyntax {
        let keyword = (variable.modifiers.map(\.trimmedDescription) + [variable.bindingSpecifier.text])
            .joined(separator: " ")
        var type: TypeAnnotationSyntax?
        // From the end: of `a, b: Int` the type is that of both.
        let bindings = variable.bindings.reversed().map { binding in
            type = binding.typeAnnotation ?? (binding.initializer == nil ? type : nil)
            var binding = binding.with(
                \.typeAnnotation, type?.with(\.trailingTrivia, binding.initializer == nil ? [] : .space))
            if binding.trailingComma != nil {
                binding.trailingComma = .identifier("; \(keyword)", trailingTrivia: .space)
            }
            return binding
        }
        return PatternBindingListSyntax(bindings.reversed())
    }

    private func check(_ property: StoredProperty) {
        if property.isTransient {
            checkTransient(property)
        } else if property.isConstant {
            checkConstant(property)
        } else if property.isLazy {
            let word = property.declaration.modifiers.first { ["lazy", "weak", "unowned"].contains($0.name.text) }
            report(
                "lazy", "a \(word?.name.text ?? "lazy") property cannot be stored: mark it @Transient",
                at: property.identifier, [addTransient(property)])
        } else if !property.hasType {
            var binding = property.binding
            binding.typeAnnotation = TypeAnnotationSyntax(
                colon: .colonToken(trailingTrivia: .space), type: TypeSyntax(stringLiteral: "<#Type#>"))
            report(
                "type", "'\(property.name)' needs a type: a store keeps values of one type", at: property.identifier,
                [.replace("add a type", property.binding, with: binding)])
        } else {
            OptionCheck(property, context).check()
        }
    }

    private func checkConstant(_ property: StoredProperty) {
        guard property.name != "persistentBackingData" else { return }
        let keyword = property.declaration.bindingSpecifier
        let variable = keyword.with(\.tokenKind, .keyword(.var))
        var fixIts: [FixIt] = [.replace("make it a `var`", keyword, with: variable)]
        if !property.isRequired { fixIts.append(addTransient(property)) }
        report(
            "constant", "'\(property.name)' is a constant, which a fetch could not set: make it a `var`",
            at: keyword, fixIts)
    }

    private func checkTransient(_ property: StoredProperty) {
        if let wrapper = property.wrapper {
            report("transient", "'\(property.name)' is either stored or @Transient", at: wrapper)
        }
        guard property.isRequired || (property.isConstant && property.binding.initializer == nil), !property.isLazy
        else {
            return
        }
        report(
            "transientDefault", "'\(property.name)' needs a default value: a fetch makes the model without one",
            at: property.identifier)
    }

    // MARK: Initialisers

    private func checkInitializers() {
        let required = model.persistent.filter { $0.isRequired && !$0.isConstant && $0.canBeWrapped }
        if model.initializers.isEmpty, !required.isEmpty {
            let names = required.map { "'\($0.name)'" }.joined(separator: ", ")
            report(
                "initializer", "\(model.name) needs an initializer that gives \(names) a value",
                at: model.declaration.name,
                [addInitializer(required)])
        }
        for initializer in model.initializers where !initializer.modifiers.contains(.convenience) {
            guard let body = initializer.body, !initializer.isForRows else { continue }
            let assigned = AssignedNames(in: body)
            guard !assigned.delegates else { continue }
            for property in required where !assigned.names.contains(property.name) {
                context.report(
                    Mistake(
                        id: "unassigned",
                        message: "this initializer gives '\(property.name)' no value, without which it "
                            + "cannot be saved", severity: .warning),
                    at: initializer.initKeyword)
            }
        }
    }

    private func addInitializer(_ properties: [StoredProperty]) -> FixIt {
        let parameters = properties.map { "\($0.identifier.text): \($0.type?.trimmedDescription ?? "<#Type#>")" }
        let lines = properties.map { "        self.\($0.identifier.text) = \($0.identifier.text)\n" }
        var block = model.declaration.memberBlock
        let text = "\n\n    \(model.access)init(\(parameters.joined(separator: ", "))) {\n\(lines.joined())    }"
        block.members.append(MemberBlockItemSyntax(decl: DeclSyntax(stringLiteral: text)))
        return .replace("add an initializer", model.declaration.memberBlock, with: block)
    }

    // MARK: Parts

    func addTransient(_ property: StoredProperty) -> FixIt {
        let old = property.declaration
        var new = old
        let attribute = AttributeSyntax("@Transient").with(\.trailingTrivia, .space)
        new.leadingTrivia = []
        new.attributes.insert(.attribute(attribute), at: new.attributes.startIndex)
        new.leadingTrivia = old.leadingTrivia
        return .replace("mark it @Transient", old, with: new)
    }

    func report(_ id: String, _ message: String, at node: some SyntaxProtocol, _ fixIts: [FixIt] = []) {
        context.report(Mistake(id: id, message: message), at: node, fixIts: fixIts)
    }
}

extension StoredProperty {
    /// Whether Swift allows a property wrapper on it.
    var canBeWrapped: Bool {
        !isConstant && !isLazy && hasType && declaration.bindings.count == 1
    }
}

extension TokenSyntax {
    fileprivate var asClass: TokenSyntax {
        with(\.tokenKind, .identifier("final class"))
    }
}

extension InitializerDeclSyntax {
    var isForRows: Bool { signature.parameterClause.parameters.first?.firstName.text == "backingData" }
}
