import SwiftSyntax
import SwiftSyntaxMacros

/// The place of a class with `@Model`. The extension with the conformance is at file scope and must be able to name the
/// class.
enum ModelPlace {
    case reachable
    /// The class or an enclosing type is private to the type that contains it.
    case hidden
    /// The class is in a function, where Swift does not allow macros that add extensions.
    case local

    /// Determines the place of a class.
    ///
    /// - Parameter enclosing: The enclosing declarations, beginning with the innermost: the `lexicalContext` of a
    ///   context.
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
    /// Whether the class declares the conformance, so that no extension is needed.
    var declaresConformance: Bool {
        inheritanceClause?.inheritedTypes.contains { $0.type.trimmedDescription.hasSuffix("PersistentModel") } ?? false
    }
}
