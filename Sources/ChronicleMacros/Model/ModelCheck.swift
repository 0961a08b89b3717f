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

extension TokenSyntax {
    fileprivate var asClass: TokenSyntax {
        with(\.tokenKind, .identifier("final class"))
    }
}
