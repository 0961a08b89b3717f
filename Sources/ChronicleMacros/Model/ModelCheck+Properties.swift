import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

// Reports invalid declarations of properties.
extension ModelCheck {
    func checkMember(_ member: DeclSyntax) {
        if let variable = member.as(VariableDeclSyntax.self) {
            checkWrapperOfComputed(variable)
            checkSeveral(variable)
        }
        guard let condition = member.as(IfConfigDeclSyntax.self) else { return }
        let variables = condition.members.compactMap { $0.as(VariableDeclSyntax.self) }
        for property in variables.flatMap(StoredProperty.all) where !property.isTransient {
            report(
                "conditional", "a stored property of a model cannot be conditional (#if); mark it @Transient",
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
        let reason =
            variable.has(.override)
            ? "the superclass stores the value of a property that is overridden"
            : "a \(variable.has(.static) || variable.has(.class) ? "static" : "computed") property is not stored"
        report(
            "computed", "\(reason); remove @\(wrapper.name)", at: wrapper,
            [.replace("remove @\(wrapper.name)", variable, with: fixed)])
    }

    private func checkSeveral(_ variable: VariableDeclSyntax) {
        guard variable.attributes.first(named: "Transient") == nil, !variable.has(.static) else { return }
        if let tuple = variable.bindings.first(where: { $0.pattern.is(TuplePatternSyntax.self) }) {
            report("several", "declare each property of a model separately instead of in a tuple", at: tuple.pattern)
        }
        guard variable.bindings.count > 1, StoredProperty.all(in: variable).count > 1 else { return }
        report(
            "several", "declare each property of a model separately, with one `var` for each", at: variable.bindings,
            [.replace("use one `var` for each", variable.bindings, with: split(variable))])
    }

    private func split(_ variable: VariableDeclSyntax) -> PatternBindingListSyntax {
        let keyword = (variable.modifiers.map(\.trimmedDescription) + [variable.bindingSpecifier.text])
            .joined(separator: " ")
        var type: TypeAnnotationSyntax?
        // In reverse order, because in `a, b: Int` the type applies to both.
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

    func check(_ property: StoredProperty) {
        if let wrapper = property.conditionalWrapper {
            report(
                "conditionalWrapper",
                "@\(wrapper.name) of '\(property.name)' cannot be conditional (#if); apply it unconditionally",
                at: wrapper)
        } else if property.isMarkedTransient {
            checkTransient(property)
        } else if property.isConstant {
            checkConstant(property)
        } else if property.isLazy {
            let words = ["lazy": "a lazy", "weak": "a weak", "unowned": "an unowned"]
            let word = property.declaration.modifiers.lazy.compactMap { words[$0.name.text] }.first
            report(
                "lazy", "\(word ?? "this") property cannot be stored; mark it @Transient",
                at: property.identifier, [addTransient(property)])
        } else if !property.hasType {
            // For `var a, b: Int`, another error was already reported.
            guard property.declaration.bindings.count == 1 else { return }
            var binding = property.binding
            binding.typeAnnotation = TypeAnnotationSyntax(
                colon: .colonToken(trailingTrivia: .space), type: TypeSyntax(stringLiteral: "<#Type#>"))
            report(
                "type", "'\(property.name)' needs a type annotation", at: property.identifier,
                [.replace("add a type", property.binding, with: binding)])
        } else {
            OptionCheck(property, context).check()
            checkWrappers(property)
        }
    }

    /// Unknown attributes get a note: they may be property wrappers, for which the compiler's error is unclear, or macros,
    /// which are valid.
    private func checkWrappers(_ property: StoredProperty) {
        let attributes = property.declaration.attributes.compactMap { $0.as(AttributeSyntax.self) }
        let own = attributes.filter { ["Attribute", "Relationship"].contains($0.name) }
        if own.count > 1 {
            report(
                "wrappers",
                "'\(property.name)' can have only one @Attribute or @Relationship; list all options in the first one",
                at: own[1], joining(own, of: property))
        }
        let known = ["Attribute", "Relationship", "ObservationIgnored", "MainActor"]
        for other in attributes where other.name.first?.isUppercase == true && !known.contains(other.name) {
            let message =
                "a stored property of a model cannot have another property wrapper; if @\(other.name) is one, "
                + "mark '\(property.name)' @Transient"
            context.report(MacroDiagnostic(id: "otherWrapper", message: message, severity: .note), at: other)
        }
    }

    private func joining(_ own: [AttributeSyntax], of property: StoredProperty) -> [FixIt] {
        let arguments = own.flatMap { $0.arguments?.as(LabeledExprListSyntax.self).map(Array.init) ?? [] }
        let options = arguments.filter { $0.label == nil }
        let labels = arguments.compactMap { $0.label?.text }
        // The property wrapper has parameters for three options.
        guard own.allSatisfy({ $0.name == "Attribute" }), options.count <= 3, Set(labels).count == labels.count else {
            return []
        }
        let labeled = ["originalName", "hashModifier"].flatMap { label in arguments.filter { $0.label?.text == label } }
        let text = (options + labeled).map { $0.with(\.trailingComma, nil).trimmedDescription }.joined(separator: ", ")
        let name = own[0].attributeName.trimmedDescription
        let joined = AttributeSyntax("@\(raw: name)\(raw: text.isEmpty ? "" : "(\(text))")")
            .with(\.trailingTrivia, own[own.count - 1].trailingTrivia)
        let others = Set(own.dropFirst().map(\.id))
        var fixed = property.declaration
        // An array, because a filtered list has other identifiers.
        fixed.attributes = AttributeListSyntax(
            Array(property.declaration.attributes).filter { !others.contains($0.id) }
                .map { $0.id == own[0].id ? .attribute(joined) : $0 })
        fixed.leadingTrivia = property.declaration.leadingTrivia
        return [.replace("list all options in the first @Attribute", property.declaration, with: fixed)]
    }

    private func checkConstant(_ property: StoredProperty) {
        guard property.name != "persistentBackingData" else { return }
        let keyword = property.declaration.bindingSpecifier
        let variable = keyword.with(\.tokenKind, .keyword(.var))
        let fixIt = FixIt.replace("make it a `var`", keyword, with: variable)
        guard property.isTransient else {
            return report(
                "constant", "'\(property.name)' is a constant, which a fetch cannot set; make it a `var`",
                at: keyword, [fixIt])
        }
        // Not an error, so that a class of a SwiftData app compiles unchanged.
        let message = "'\(property.name)' is a constant, which is not stored; make it a `var`, or mark it @Transient"
        context.report(
            MacroDiagnostic(id: "transientConstant", message: message, severity: .warning), at: keyword,
            fixIts: [fixIt, addTransient(property)])
    }

    private func checkTransient(_ property: StoredProperty) {
        if let wrapper = property.wrapper {
            report("transient", "'\(property.name)' cannot be both stored and @Transient", at: wrapper)
        }
        guard property.isRequired || (property.isConstant && property.binding.initializer == nil), !property.isLazy
        else {
            return
        }
        report(
            "transientDefault", "'\(property.name)' needs a default value, which fetched models receive",
            at: property.identifier)
    }
}

extension StoredProperty {
    var canBeWrapped: Bool {
        !isConstant && !isLazy && hasType && declaration.bindings.count == 1
    }
}
