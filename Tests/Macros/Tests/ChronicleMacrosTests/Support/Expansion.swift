import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import ChronicleMacros

/// The expansion of a source, and the diagnostics of the macros.
struct Expansion {
    /// The source with every macro expanded.
    let text: String
    let reports: [Report]

    /// A diagnostic, and the source after each of its fix-its.
    struct Report: Equatable, CustomStringConvertible {
        let line: Int
        let message: String
        var severity = DiagnosticSeverity.error
        var fixed: [String] = []

        var description: String {
            "\(line): \(severity): \(message)\n" + fixed.map { "--- fixed:\n\($0)\n" }.joined()
        }
    }

    private static let macros: [String: MacroSpec] = [
        "Model": MacroSpec(type: ModelMacro.self, conformances: ["PersistentModel"]),
        "ModelInitializer": MacroSpec(type: ModelInitializerMacro.self),
        "Transient": MacroSpec(type: TransientMacro.self),
        "Unique": MacroSpec(type: UniqueMacro.self),
        "Index": MacroSpec(type: IndexMacro.self),
        "ModelActor": MacroSpec(type: ModelActorMacro.self, conformances: ["ModelActor"]),
    ]

    /// - Parameter inherits: Whether the classes inherit the conformance, so that the compiler does not request it.
    init(_ source: String, inherits: Bool = false) {
        let file = Parser.parse(source: source)
        let root = BasicMacroExpansionContext(sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")]
        )
        var macros = Self.macros
        if inherits { macros["Model"] = MacroSpec(type: ModelMacro.self) }
        let expanded = file.expand(macroSpecs: macros) { node in
            BasicMacroExpansionContext(sharingWith: root, lexicalContext: node.enclosing)
        }
        text = String(expanded.description.drop { $0.isNewline })
        reports = root.diagnostics.map { Report($0, in: source, root) }
    }
}

extension Expansion.Report {
    fileprivate init(_ diagnostic: Diagnostic, in source: String, _ context: BasicMacroExpansionContext) {
        let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Test.swift")
        self.init(
            line: place.line, message: diagnostic.message, severity: diagnostic.diagMessage.severity,
            fixed: diagnostic.fixIts.map { fixIt in
                var bytes = Array(source.utf8)
                // From the end, so that earlier offsets remain valid.
                for edit in fixIt.changes.compactMap({ Edit($0, context) }).sorted(by: { $0.offset > $1.offset }) {
                    bytes.replaceSubrange(edit.offset..<edit.offset + edit.length, with: edit.text.utf8)
                }
                return String(decoding: bytes, as: UTF8.self)
            })
    }
}

private struct Edit {
    let offset: Int
    let length: Int
    let text: String

    init?(_ change: FixIt.Change, _ context: BasicMacroExpansionContext) {
        guard case .replace(let old, let new) = change else { return nil }
        offset = context.location(for: old.position, anchoredAt: old, fileName: "Test.swift").offset
        length = old.totalLength.utf8Length
        text = new.description
    }
}

extension Syntax {
    /// The enclosing declarations of a node without their members, as the compiler passes them to a macro.
    fileprivate var enclosing: [Syntax] {
        sequence(first: self) { $0.parent }.dropFirst().compactMap { node in
            if let type = node.asProtocol((any DeclGroupSyntax).self) {
                return Syntax(fromProtocol: type.with(\.memberBlock.members, []).detached)
            }
            return node.as(FunctionDeclSyntax.self).map { Syntax($0.with(\.body, nil).detached) }
        }
    }
}
