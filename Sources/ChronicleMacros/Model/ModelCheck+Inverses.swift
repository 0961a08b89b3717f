import SwiftSyntax

// Reports inverses within a class. For two classes, the compiler reports the problem.
extension ModelCheck {
    /// If both sides name each other, the compiler needs the type of each before that of the other.
    func checkInverses() {
        var seen: Set<String> = []
        for property in model.persistent {
            guard let (argument, name) = inverse(of: property) else { continue }
            defer { seen.insert(property.name) }
            guard seen.contains(name),
                let other = model.persistent.first(where: { $0.name == name }),
                inverse(of: other)?.name == property.name
            else { continue }
            report(
                "inverses", "only one of '\(name)' and '\(property.name)' can specify the other as its inverse",
                at: argument)
        }
    }

    private func inverse(of property: StoredProperty) -> (argument: LabeledExprSyntax, name: String)? {
        let arguments = property.attribute("Relationship")?.arguments?.as(LabeledExprListSyntax.self)
        guard let argument = arguments?.first(where: { $0.label?.text == "inverse" }),
            let keyPath = argument.expression.as(KeyPathExprSyntax.self), keyPath.root?.lastName == model.name,
            let component = keyPath.components.first?.component.as(KeyPathPropertyComponentSyntax.self)
        else { return nil }
        return (argument, component.declName.baseName.text.filter { $0 != "`" })
    }
}
