import ChronicleCore

/// The SQL that makes the table of a relationship's links.
struct LinkDefinition {
    let links: Schema.Links

    /// The primary key is the table: reading what a row is linked to is one look-up, and a pair is there once.
    /// https://www.sqlite.org/withoutrowid.html
    var createTable: String {
        """
        CREATE TABLE \(quoted(links.name))(
            \(column("owner", links.owner, links.property)),
            \(column("destination", links.destination, links.inverse)),
            PRIMARY KEY (owner, destination)
        ) WITHOUT ROWID
        """
    }

    /// A link goes with either of its rows, unless it denies that. References are checked when the transaction commits:
    /// links come before new rows.
    private func column(_ name: String, _ entityName: String, _ property: Schema.Property?) -> String {
        let action = property?.relationship?.deleteRule == .deny ? "NO ACTION" : "CASCADE"
        return "\(name) INTEGER NOT NULL REFERENCES \(quoted(entityName)) ON DELETE \(action) "
            + "DEFERRABLE INITIALLY DEFERRED"
    }

    /// Whether the text of a table's definition is this one but for its delete rules.
    func differsInRules(from sql: String) -> Bool {
        func plain(_ text: String) -> String { text.replacing("ON DELETE NO ACTION", with: "ON DELETE CASCADE") }
        return plain(sql) == plain(createTable)
    }

    /// For the other direction.
    var createIndex: String {
        "CREATE INDEX IF NOT EXISTS \(quoted("chronicle_links_\(links.name)")) ON \(quoted(links.name))(destination)"
    }

    /// Everything that a file would be changed for.
    var signature: String {
        func side(_ property: Schema.Property?) -> String {
            property.map { "\($0.name) \($0.previousName ?? "") \($0.relationship?.deleteRule.rawValue ?? "")" } ?? "-"
        }
        return "\(links.owner) \(side(links.property)) \(links.destination) \(side(links.inverse))"
    }

    /// Tables that an earlier schema may have kept these links in, and whether owner and destination are exchanged in them.
    var earlierNames: [(name: String, isReversed: Bool)] {
        var names = links.property.previousName.map { [("\(links.owner).\($0)", false)] } ?? []
        if let inverse = links.inverse, !links.isSymmetric {
            for name in [inverse.name, inverse.previousName] {
                if let name { names.append(("\(links.destination).\(name)", true)) }
            }
        }
        return names
    }
}
