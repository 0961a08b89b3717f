import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Reports the errors that the source text of a class shows. The types of the wrappers and the schema detect others.
struct ModelCheck {
    let model: ModelClass
    let context: any MacroExpansionContext
    private(set) var isSubclass = false

    init(_ model: ModelClass, _ context: some MacroExpansionContext) {
        self.model = model
        self.context = context
    }

    enum Result {
        case model
        case subclass
        case invalid
    }

    mutating func validate(conformingTo protocols: [TypeSyntax]) -> Result {
        guard validateAccess() else { return .invalid }
        isSubclass =
            protocols.isEmpty && !model.declaration.declaresConformance && model.declaration.inheritanceClause != nil
        checkActor()
        for member in model.declaration.memberBlock.members { checkMember(member.decl) }
        for property in model.properties { check(property) }
        checkInitializers()
        checkInverses()
        checkConstraints()
        return isSubclass ? .subclass : .model
    }

    // MARK: The class

    static func reportNoClass(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax, _ context: some MacroExpansionContext
    ) {
        var fixIts: [FixIt] = []
        if let structure = declaration.as(StructDeclSyntax.self) {
            fixIts = [.replace("make it a class", structure.structKeyword, with: structure.structKeyword.asClass)]
        }
        let diagnostic = MacroDiagnostic(
            id: "noClass", message: "@Model can only be attached to a class")
        context.report(diagnostic, at: node, fixIts: fixIts)
    }

    private func validateAccess() -> Bool {
        let declaration = model.declaration
        if let generics = declaration.genericParameterClause {
            report("generic", "a model class cannot be generic, because its entity has a single name", at: generics)
            return false
        }
        switch ModelPlace(of: declaration, in: context.lexicalContext) {
        case .reachable: return true
        // The compiler reports this.
        case .local: return false
        case .hidden: break
        }
        let message = "a nested model and its enclosing types cannot be private; make them fileprivate"
        if let word = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })?.name {
            let fix = FixIt.replace("make it fileprivate", word, with: word.with(\.tokenKind, .keyword(.fileprivate)))
            report("private", message, at: word, [fix])
        } else {
            report("private", message, at: declaration.name)
        }
        return false
    }

    /// A warning, because the declaration is valid in Swift 5 mode.
    private func checkActor() {
        guard let attribute = model.declaration.attributes.first(named: "MainActor") else { return }
        let diagnostic = MacroDiagnostic(
            id: "actor", message: "a model is confined to its context, not to an actor; remove @MainActor",
            severity: .warning)
        let all = model.declaration.attributes
        let rest = all.filter { $0.id != attribute.id }.with(\.leadingTrivia, all.leadingTrivia)
        context.report(diagnostic, at: attribute, fixIts: [.replace("remove @MainActor", all, with: rest)])
    }

    // MARK: Reporting

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
