import SwiftSyntax
import SwiftSyntaxMacros

extension ModelCheck {
    /// Key paths in `#Unique` and `#Index` that lead to no stored property of the class. (That they lead to something, the
    /// compiler checks.)
    func checkConstraints() {
        let stored = Set(model.persistent.map(\.name))
        for member in model.declaration.memberBlock.members {
            guard let macro = member.decl.as(MacroExpansionDeclSyntax.self),
                ["Unique", "Index"].contains(macro.macroName.text)
            else { continue }
            for (component, name) in macro.arguments.rootedNames where !stored.contains(name) {
                report(
                    "keyPath", "\(model.name) has no stored property '\(name)'", at: component,
                    nearest(to: name, in: stored).map { near in
                        let new = component.with(\.baseName, .identifier(near))
                        return [.replace("use '\(near)'", component, with: new)]
                    } ?? [])
            }
        }
    }

    /// The name that differs in the fewest letters, if it is not another word.
    private func nearest(to name: String, in names: Set<String>) -> String? {
        let best = names.map { (distance: Self.distance(name, $0), name: $0) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best.flatMap { $0.distance <= max(1, name.count / 3) ? $0.name : nil }
    }

    private static func distance(_ first: String, _ second: String) -> Int {
        var row = Array(0...second.count)
        for (i, a) in first.lowercased().enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in second.lowercased().enumerated() {
                (diagonal, row[j + 1]) = (
                    row[j + 1], min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1))
                )
            }
        }
        return row[second.count]
    }
}

extension LabeledExprListSyntax {
    /// The first name of each key path in the arguments.
    fileprivate var rootedNames: [(DeclReferenceExprSyntax, String)] {
        let finder = KeyPathFinder(viewMode: .sourceAccurate)
        finder.walk(self)
        return finder.found
    }
}

private final class KeyPathFinder: SyntaxVisitor {
    var found: [(DeclReferenceExprSyntax, String)] = []

    override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
        if let property = node.components.first?.component.as(KeyPathPropertyComponentSyntax.self) {
            found.append((property.declName, property.declName.baseName.text.filter { $0 != "`" }))
        }
        return .skipChildren
    }
}
