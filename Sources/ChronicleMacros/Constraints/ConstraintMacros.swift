import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `#Unique<Trip>([\.name], …)` declares the static property `uniqueness`.
enum UniqueMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try ConstraintMacro(node, context).declaration("uniqueness", "Uniqueness")
    }
}

/// `#Index<Trip>([\.name], …)` declares the static property `indices`.
enum IndexMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try ConstraintMacro(node, context).declaration("indices", "Indices")
    }
}

/// A static property of the enclosing class, or a function in a class that may be a subclass.
private struct ConstraintMacro {
    private let node: any FreestandingMacroExpansionSyntax
    private let context: any MacroExpansionContext

    init(_ node: some FreestandingMacroExpansionSyntax, _ context: some MacroExpansionContext) {
        self.node = node
        self.context = context
    }

    func declaration(_ name: String, _ type: String) throws -> [DeclSyntax] {
        guard let model = context.lexicalContext.first?.as(ClassDeclSyntax.self) else {
            context.report(
                MacroDiagnostic(id: "place", message: "#\(node.macroName.text) must be declared in the model class"),
                at: node)
            return []
        }
        let arguments = node.arguments.map { argument in
            // The array of `.binary([…])` is its argument.
            let array = argument.expression.as(FunctionCallExprSyntax.self)?.arguments.first?.expression
            return (array ?? argument.expression).trimmedDescription
        }
        guard !arguments.isEmpty, !arguments.contains("[]") else {
            context.report(
                MacroDiagnostic(
                    id: "empty", message: "#\(node.macroName.text) needs arrays of key paths that are not empty"),
                at: node)
            return []
        }
        let list = arguments.joined(separator: ", ")
        let declared = ModelClass(model)
        guard declared.mayBeSubclass else {
            return [
                """
                \(raw: declared.access)static let \(raw: name): Chronicle::\(raw: type)<\(raw: declared.name)> = \
                [\(raw: list)]
                """
            ]
        }
        // A static property could not have the name of that of the superclass. A function is overloaded, and `@Model`
        // knows whether the class is a subclass.
        return [
            """
            \(raw: declared.access)static func \(raw: name)(of _: \(raw: declared.name).Type) -> \
            Chronicle::\(raw: type)<\(raw: declared.name)> {
                [\(raw: list)]
            }
            """
        ]
    }
}
