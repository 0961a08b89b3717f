import SwiftSyntax
import SwiftSyntaxMacros

/// The extension with the conformance is at file scope and must be able to name the class.
enum ModelPlace {
    case reachable
    /// The class or an enclosing type is private to its container.
    case hidden
    /// In a function, Swift does not allow macros that add extensions.
    case local

    /// - Parameter enclosing: The enclosing declarations, innermost first: the `lexicalContext` of a context.
    init(of declaration: ClassDeclSyntax, in enclosing: [Syntax]) {
        // For an attribute of a member, the class itself is the first element.
        let isItself = enclosing.first?.as(ClassDeclSyntax.self)?.name.text == declaration.name.text
        let enclosing = enclosing.dropFirst(isItself ? 1 : 0)
        let types = enclosing.compactMap { $0.asProtocol((any DeclGroupSyntax).self) }
        // A private declaration at file scope is accessible in the file, which contains the extension.
        let nested = ([declaration] + types).dropLast()
        if types.count < enclosing.count {
            self = .local
        } else if !declaration.declaresConformance, nested.contains(where: { $0.modifiers.contains(.private) }) {
            self = .hidden
        } else {
            self = .reachable
        }
    }
}

extension ClassDeclSyntax {
    var declaresConformance: Bool {
        inheritanceClause?.inheritedTypes.contains { $0.type.trimmedDescription.hasSuffix("PersistentModel") } ?? false
    }
}
