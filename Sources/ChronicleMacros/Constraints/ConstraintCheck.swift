import SwiftSyntax
import SwiftSyntaxMacros

extension ModelCheck {
    /// What is wrong with `#Unique` and `#Index`: two of one kind, another class's, and key paths that lead to no stored
    /// property of the class. (That they lead to something, the compiler checks.)
    func checkConstraints() {
        var seen: Set<String> = []
        for member in model.declaration.memberBlock.members {
            guard let macro = member.decl.as(MacroExpansionDeclSyntax.self) else { continue }
            let kind = macro.macroName.text
            guard ["Unique", "Index"].contains(kind) else { continue }
            if !seen.insert(kind).inserted {
                report("second", "a model has one #\(kind): give it all the arrays of key paths", at: macro)
            } else if let type = macro.otherType(than: model.name) {
                let name = TypeSyntax(IdentifierTypeSyntax(name: .identifier(model.name)))
                report(
                    "otherModel", "#\(kind) is about the class that it stands in: \(model.name)", at: type,
                    [.replace("use '\(model.name)'", type, with: name)])
            } else {
                checkKeyPaths(of: macro)
            }
        }
    }

    private func checkKeyPaths(of macro: MacroExpansionDeclSyntax) {
        let stored = Set(model.persistent.map(\.name))
        for (component, name, goesOn) in macro.arguments.names(in: model.name) {
            if stored.contains(name) {
                guard goesOn else { continue }
                report(
                    "inside", "#\(macro.macroName.text) is about '\(name)', and not what is inside of it", at: component
                )
                continue
            }
            report(
                "keyPath", "\(model.name) has no stored property '\(name)'", at: component,
                nearest(to: name, in: stored).map { near in
                    let new = component.with(\.baseName, .identifier(near))
                    return [.replace("use '\(near)'", component, with: new)]
                } ?? [])
        }
    }

    /// The name that differs in the fewest letters, if it is not another word.
    private func nearest(to name: String, in names: Set<String>) -> String? {
        let best = names.map { (distance: Self.distance(name, $0), name: $0) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best.flatMap { $0.distance <= max(1, name.count / 3) && $0.distance < name.count ? $0.name : nil }
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

extension MacroExpansionDeclSyntax {
    /// The type in angle brackets, if it has another name.
    fileprivate func otherType(than name: String) -> TypeSyntax? {
        guard let argument = genericArgumentClause?.arguments.first?.argument, let type = argument.as(TypeSyntax.self)
        else { return nil }
        return type.lastName.map { $0 == name || $0 == "Self" } ?? true ? nil : type
    }
}

extension LabeledExprListSyntax {
    /// The first name of each key path in the arguments, behind the model's own in `\Module.Trip.name`, and whether the key
    /// path goes on after it.
    fileprivate func names(in model: String) -> [(DeclReferenceExprSyntax, String, goesOn: Bool)] {
        let finder = KeyPathFinder(model: model)
        finder.walk(self)
        return finder.found
    }
}

private final class KeyPathFinder: SyntaxVisitor {
    let model: String
    var found: [(DeclReferenceExprSyntax, String, goesOn: Bool)] = []

    init(model: String) {
        self.model = model
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
        let properties = node.components.map { $0.component.as(KeyPathPropertyComponentSyntax.self) }
        // Of a type with dots the first name alone is the root.
        let own = node.root == nil ? nil : properties.firstIndex { $0?.declName.baseName.text == model }
        let start = own.map { $0 + 1 } ?? 0
        if start < properties.count, let property = properties[start] {
            let name = property.declName.baseName.text.filter { $0 != "`" }
            found.append((property.declName, name, start + 1 < properties.count))
        }
        return .skipChildren
    }
}
