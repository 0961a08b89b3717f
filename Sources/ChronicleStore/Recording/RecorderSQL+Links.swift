import ChronicleCore

/// The triggers of a link table. A link is not a model: adding or removing one is recorded as an update of the models at
/// its ends, if these exist. Deleting a row deletes its links afterwards, and a save inserts the links of a new row before
/// the row, so neither also records an update. The other triggers maintain the table, whether history is recorded or not.
extension RecorderSQL {
    /// The recording triggers come first: SQLite runs the most recently created trigger first, and rows that a cascade
    /// deletes need no update before. Only the readability of the history depends on this order. Triggers that write to the
    /// models' tables, or to this one, are separate, because without `recursive_triggers` a trigger does not run again
    /// within itself (<https://www.sqlite.org/pragma.html#pragma_recursive_triggers>).
    static func triggers(of links: RecordedLinks, recordsHistory: Bool) -> [String] {
        (recordsHistory ? recording(links) : []) + [ignoringRepetition(links)]
            + (links.isSymmetric ? mirroring(links) : []) + cascading(links)
    }

    /// The name of a trigger that implements the cascade delete rule begins with this.
    private static let cascade = "cascade_"

    static func isCascade(trigger name: String) -> Bool {
        ["owner", "destination"].contains { name.hasSuffix("_\(cascade)\($0)") }
    }

    /// What follows the name of the table in the names of triggers.
    private static let kinds: [String] =
        ["insert", "delete", "update", "repetition"] + ["insert", "delete", "update"].map { "mirror_\($0)" }
        + ["owner", "destination"].map { "\(cascade)\($0)" }

    /// Returns the name that a trigger of a link table with another name should have, or `nil` if it has that name.
    static func triggerName(replacing name: String, of table: String) -> String? {
        let names = kinds.map { "\(prefix)\(table)_\($0)" }
        guard !names.contains(name), name.hasPrefix(prefix) else { return nil }
        let kind = kinds.filter { name.hasSuffix("_\($0)") }.max { $0.count < $1.count }
        return kind.map { "\(prefix)\(table)_\($0)" }
    }

    static func dropTrigger(named name: String) -> String { "DROP TRIGGER \(quoted(name))" }

    // MARK: Recording

    private static func recording(_ links: RecordedLinks) -> [String] {
        // The reverse link records the other end.
        let ends = (links.isSymmetric ? [links.owner] : [links.owner, links.destination]).filter { $0.attribute != nil }
        func other(_ end: RecordedLinks.End) -> String {
            (end.column == links.owner.column ? links.destination : links.owner).column
        }
        func moved(_ end: RecordedLinks.End) -> String { "OLD.\(end.column) IS NOT NEW.\(end.column)" }
        let remaining = ends.flatMap { end in
            update(
                end, "OLD", removed: "OLD.\(other(end))",
                added: "CASE WHEN NOT (\(moved(end))) THEN NEW.\(other(end)) END")
        }
        return [
            trigger(
                "insert", on: links, "AFTER INSERT", do: ends.flatMap { update($0, "NEW", added: "NEW.\(other($0))") }),
            trigger(
                "delete", on: links, "AFTER DELETE", do: ends.flatMap { update($0, "OLD", removed: "OLD.\(other($0))") }
            ),
            trigger(
                "update", on: links, "AFTER UPDATE",
                when: "OLD.owner IS NOT NEW.owner OR OLD.destination IS NOT NEW.destination",
                do: remaining
                    + ends.flatMap { update($0, "NEW", added: "NEW.\(other($0))", condition: "\(moved($0)) AND ") }),
        ]
    }

    /// Records that the links of a row changed, with the removed and added destinations. `row` is `OLD` or `NEW`, and
    /// `condition` ends with `AND` or is empty.
    private static func update(
        _ end: RecordedLinks.End, _ row: String, removed: String = "NULL", added: String = "NULL",
        condition: String = ""
    ) -> [String] {
        let number = end.attribute ?? 0
        var masks = AttributeMasks()
        masks.insert(number)
        let key = "\(row).\(end.column)"
        let held = "FROM \(quoted(end.table)) AS held WHERE held.\(self.key) = \(key)"
        let exists = "EXISTS (SELECT 1 \(held))"
        func kind(_ operation: ChangeTable.Operation) -> String {
            self.kind(
                operation, of: end.entityID, end.subentities,
                column: "(SELECT held.\(quoted(Schema.entityAttribute)) \(held))")
        }
        return [
            """
            INSERT INTO \(ChangeTable.name)(kind, primary_key, attributes) \
            SELECT \(kind(.update)), \(key), \(masks.literal) WHERE \(condition)\(exists)
            """
        ]
            + (end.preservesValues
                ? [
                    """
                    INSERT INTO \(ChangeTable.name)(\(ChangeTable.values)) \
                    SELECT \(kind(.preservedValue)), \(key), \(number), \(removed), \(added) WHERE \(condition)\(exists)
                    """
                ] : [])
    }

    // MARK: Maintaining links

    /// Ignores links that exist, also with `REPLACE`, which would delete the existing link unrecorded.
    private static func ignoringRepetition(_ links: RecordedLinks) -> String {
        trigger(
            "repetition", on: links, "BEFORE INSERT",
            when: "EXISTS (SELECT 1 FROM \(quoted(links.name)) AS held "
                + "WHERE held.owner = NEW.owner AND held.destination = NEW.destination)",
            do: ["SELECT RAISE(IGNORE)"])
    }

    private static func mirroring(_ links: RecordedLinks) -> [String] {
        let table = quoted(links.name)
        let insert = "INSERT INTO \(table)(owner, destination) VALUES (NEW.destination, NEW.owner)"
        let delete = "DELETE FROM \(table) WHERE owner = OLD.destination AND destination = OLD.owner"
        return [
            trigger("mirror_insert", on: links, "AFTER INSERT", do: [insert]),
            trigger("mirror_delete", on: links, "AFTER DELETE", do: [delete]),
            trigger("mirror_update", on: links, "AFTER UPDATE", do: [delete, insert]),
        ]
    }

    /// The foreign key of a deleted row deletes its links, and a deleted link whose row no longer exists deletes the row at
    /// the other end. https://www.sqlite.org/foreignkeys.html#fk_actions
    private static func cascading(_ links: RecordedLinks) -> [String] {
        [(links.owner, links.destination), (links.destination, links.owner)].filter { $0.0.cascades }.map {
            gone, other in
            trigger(
                "\(cascade)\(gone.column)", on: links, "AFTER DELETE",
                when: "NOT EXISTS (SELECT 1 FROM \(quoted(gone.table)) AS held "
                    + "WHERE held.\(key) = OLD.\(gone.column))",
                do: ["DELETE FROM \(quoted(other.table)) WHERE \(key) = OLD.\(other.column)"])
        }
    }

    private static func trigger(
        _ kind: String, on links: RecordedLinks, _ event: String, when condition: String? = nil,
        do statements: [String]
    ) -> String {
        trigger("\(prefix)\(links.name)_\(kind)", on: links.name, event, when: condition, do: statements)
    }
}
