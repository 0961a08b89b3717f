import ChronicleCore
import ChronicleSQLStore

/// The SQL definition of a link table.
struct LinkDefinition {
    let links: Schema.Links

    /// The table consists of its primary key: reading the links of a row is one lookup, and each pair is stored once.
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

    /// A link is deleted with either of its rows, unless the delete rule is deny. References are checked when the
    /// transaction commits, because links may be inserted before new rows.
    private func column(_ name: String, _ entityName: String, _ property: Schema.Property?) -> String {
        let action = property?.relationship?.deleteRule == .deny ? "NO ACTION" : "CASCADE"
        return "\(name) INTEGER NOT NULL REFERENCES \(quoted(entityName)) ON DELETE \(action) "
            + "DEFERRABLE INITIALLY DEFERRED"
    }

    /// Returns whether a table's definition differs from this one at most in its delete rules.
    func differsOnlyInDeleteRules(from sql: String) -> Bool {
        Self.removingDeleteRules(from: sql) == Self.removingDeleteRules(from: createTable)
    }

    /// Returns the definition of a table whose links are deleted with either of their rows.
    static func removingDeleteRules(from sql: String) -> String {
        sql.replacing(" ON DELETE NO ACTION DEFERRABLE", with: " ON DELETE CASCADE DEFERRABLE")
    }

    /// An index for the other direction.
    var createIndex: String {
        "CREATE INDEX IF NOT EXISTS \(quoted("chronicle_links_\(links.name)")) ON \(quoted(links.name))(destination)"
    }

    /// Everything whose change requires a change of the file.
    var signature: String {
        // Files that an earlier version of Chronicle completed have no triggers that preserve links.
        let preserved = links.arePreservedByDeletes ? " preserved" : ""
        return links.signature + preserved
    }

    /// The tables in which an earlier schema may have stored these links, and whether owner and destination are
    /// exchanged in them.
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
