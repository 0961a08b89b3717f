import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

// Reports missing and incomplete initializers.
extension ModelCheck {
    func checkInitializers() {
        let required = model.persistent.filter { $0.isRequired && !$0.isConstant && $0.canBeWrapped }
        if !model.hasDesignatedInitializer, !required.isEmpty {
            let names = required.map { "'\($0.name)'" }.joined(separator: ", ")
            report(
                "initializer", "\(model.name) needs an initializer that assigns \(names)",
                at: model.declaration.name,
                [addInitializer(required)])
        }
        for initializer in model.initializers where !initializer.modifiers.contains(.convenience) {
            guard let body = initializer.body, !initializer.isForRows else { continue }
            let assigned = AssignedNames(in: body)
            guard !assigned.delegates else { continue }
            for property in required where !assigned.names.contains(property.name) {
                context.report(
                    MacroDiagnostic(
                        id: "unassigned",
                        message: "this initializer does not assign '\(property.name)', which needs a value "
                            + "before the model is saved", severity: .warning),
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
}

extension InitializerDeclSyntax {
    var isForRows: Bool { signature.parameterClause.parameters.first?.firstName.text == "backingData" }
}
