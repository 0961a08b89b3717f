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

    /// What a class can be.
    enum Verdict {
        case model
        /// One that inherits from a model, and so cannot be another.
        case heir
        case nothing
    }

    /// Reports all mistakes.
    func verdict(conformingTo protocols: [TypeSyntax]) -> Verdict {
        guard canBeNamed() else { return .nothing }
        guard !inherits(conformingTo: protocols) else { return .heir }
        checkActor()
        for member in model.declaration.memberBlock.members { checkMember(member.decl) }
        for property in model.properties { check(property) }
        checkInitializers()
        checkInverses()
        checkConstraints()
        return .model
    }

    // MARK: The class

    static func reportNoClass(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax, _ context: some MacroExpansionContext
    ) {
        var fixIts: [FixIt] = []
        if let structure = declaration.as(StructDeclSyntax.self) {
            fixIts = [.replace("make it a class", structure.structKeyword, with: structure.structKeyword.asClass)]
        }
        let mistake = MacroDiagnostic(
            id: "noClass", message: "@Model belongs to a class: a model has an identity, and lives in a context")
        context.report(mistake, at: node, fixIts: fixIts)
    }

    private func canBeNamed() -> Bool {
        let declaration = model.declaration
        if let generics = declaration.genericParameterClause {
            report("generic", "a model class cannot be generic: its entity has one name", at: generics)
            return false
        }
        switch ModelPlace(of: declaration, in: context.lexicalContext) {
        case .reachable: return true
        // The compiler has said so.
        case .local: return false
        case .hidden: break
        }
        let message = "the macro cannot name what is private in another type: make it fileprivate"
        if let word = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })?.name {
            let fix = FixIt.replace("make it fileprivate", word, with: word.with(\.tokenKind, .keyword(.fileprivate)))
            report("private", message, at: word, [fix])
        } else {
            report("private", message, at: declaration.name)
        }
        return false
    }

    private func inherits(conformingTo protocols: [TypeSyntax]) -> Bool {
        guard protocols.isEmpty, !model.declaration.saysThatItIsAModel,
            let first = model.declaration.inheritanceClause?.inheritedTypes.first
        else { return false }
        report(
            "inheritance", "\(model.name) inherits from a model, which is not supported: use a relationship",
            at: first.type)
        return true
    }

    /// A warning, because Swift 5 gets along with it.
    private func checkActor() {
        guard let attribute = model.declaration.attributes.first(named: "MainActor") else { return }
        let mistake = MacroDiagnostic(
            id: "actor", message: "a model belongs to its context, and not to an actor: remove @MainActor",
            severity: .warning)
        let all = model.declaration.attributes
        let rest = all.filter { $0.id != attribute.id }.with(\.leadingTrivia, all.leadingTrivia)
        context.report(mistake, at: attribute, fixIts: [.replace("remove @MainActor", all, with: rest)])
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
        context.report(MacroDiagnostic(id: id, message: message), at: node, fixIts: fixIts)
    }
}

extension TokenSyntax {
    fileprivate var asClass: TokenSyntax {
        with(\.tokenKind, .identifier("final class"))
    }
}
