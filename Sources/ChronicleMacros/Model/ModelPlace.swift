import SwiftSyntax
import SwiftSyntaxMacros

/// Where a class with `@Model` stands. The extension that makes it a model stands outside of everything, and has to name it.
enum ModelPlace {
    case reachable
    /// The class, or a type around it, is private to the type that it stands in.
    case hidden
    /// In a function, where Swift allows no macro that adds an extension.
    case local

    /// - Parameter enclosing: What the class stands in, the innermost first: a context's `lexicalContext`.
    init(of declaration: ClassDeclSyntax, in enclosing: [Syntax]) {
        // For an attribute of a member the class comes first itself.
        let isItself = enclosing.first?.as(ClassDeclSyntax.self)?.name.text == declaration.name.text
        let enclosing = enclosing.dropFirst(isItself ? 1 : 0)
        let types = enclosing.compactMap { $0.asProtocol((any DeclGroupSyntax).self) }
        // What stands in nothing else is private to its file, which is where the extension is.
        let nested = ([declaration] + types).dropLast()
        if types.count < enclosing.count {
            self = .local
        } else if !declaration.saysThatItIsAModel, nested.contains(where: { $0.modifiers.contains(.private) }) {
            self = .hidden
        } else {
            self = .reachable
        }
    }
}

extension ClassDeclSyntax {
    /// Whether it declares the conformance itself, so that it needs no extension.
    var saysThatItIsAModel: Bool {
        inheritanceClause?.inheritedTypes.contains { $0.type.trimmedDescription.hasSuffix("PersistentModel") } ?? false
    }
}
