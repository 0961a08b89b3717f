import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `#Unique<Trip>([\.name], …)`: declares the class's `uniqueness`.
enum UniqueMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try ConstraintMacro(node, context).declaration("uniqueness", "Uniqueness")
    }
}

/// `#Index<Trip>([\.name], …)`: declares the class's `indices`.
enum IndexMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try ConstraintMacro(node, context).declaration("indices", "Indices")
    }
}

/// What the two have in common: a static property of the class that the macro stands in.
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
                MacroDiagnostic(id: "place", message: "#\(node.macroName.text) stands in the class of the model"),
                at: node)
            return []
        }
        let arguments = node.arguments.map { argument in
            // Of `.binary([…])` what counts is the array.
            let array = argument.expression.as(FunctionCallExprSyntax.self)?.arguments.first?.expression
            return (array ?? argument.expression).trimmedDescription
        }
        guard !arguments.isEmpty, !arguments.contains("[]") else {
            context.report(
                MacroDiagnostic(id: "empty", message: "#\(node.macroName.text) needs arrays of key paths"), at: node
            )
            return []
        }
        let access = ModelClass(model).access
        return [
            """
            \(raw: access)static let \(raw: name): Chronicle::\(raw: type)<\(raw: model.name.text)> = \
            [\(raw: arguments.joined(separator: ", "))]
            """
        ]
    }
}
