/// Records the links that are deleted with a row.
///
/// The triggers of a link table record a removed link at the ends that exist. The links of a deleted row whose other end
/// has no relationship, and the link of a row to itself, are preserved by the delete of the row instead.
///
/// SQLite deletes the links by foreign key actions before the AFTER trigger that records the delete, so a BEFORE trigger
/// notes them. Notes of a row that another trigger prevented from being deleted are replaced later, and have no effect.
/// They are not in `chronicle_conflict`, which is searched for each row that a cascade deletes.
extension RecorderSQL {
    /// The links of a row that is being deleted; empty otherwise.
    static let createRemovedLinkTable = """
        CREATE TABLE IF NOT EXISTS \(removedLinkTable)(entity INTEGER, primary_key INTEGER, attribute INTEGER, \
        destination INTEGER, PRIMARY KEY (entity, primary_key, attribute, destination)) WITHOUT ROWID
        """
    static let removedLinkTable = "chronicle_removed_link"

    static func noteDeletedLinks(_ table: RecordedTable) -> String? {
        guard !table.lists.isEmpty else { return nil }
        let notes = table.lists.map { list in
            """
            INSERT INTO \(removedLinkTable)(entity, primary_key, attribute, destination) \
            SELECT \(table.entityID), OLD.\(key), \(list.number), held.destination FROM \(quoted(list.links)) AS held \
            WHERE held.owner = OLD.\(key)
            """
        }
        return trigger(.noteDelete, on: table, "BEFORE DELETE", do: [deleteNotedLinks(table)] + notes)
    }

    static func recordDeletedLinks(_ table: RecordedTable) -> [String] {
        guard !table.lists.isEmpty else { return [] }
        let statements = table.lists.map { list in
            recordLinks(
                of: list, table,
                from: """
                    \(removedLinkTable) AS held ON held.entity = \(table.entityID) AND held.primary_key = OLD.\(key) \
                    AND held.attribute = \(list.number)
                    """)
        }
        return statements + [deleteNotedLinks(table)]
    }

    /// Records the links after an update of the primary key, which has no foreign key actions.
    static func recordLinksOfChangedKey(_ table: RecordedTable) -> [String] {
        table.lists.map { list in
            recordLinks(of: list, table, from: "\(quoted(list.links)) AS held ON held.owner = OLD.\(key)")
        }
    }

    /// An empty list has a row without a destination, so that a reader can distinguish it from one that is not preserved.
    private static func recordLinks(
        of list: RecordedTable.List, _ table: RecordedTable, from links: String
    ) -> String {
        """
        INSERT INTO \(ChangeTable.name)(kind, primary_key, attributes, old_value) \
        SELECT \(table.kind(.preservedValue, ofRow: "OLD")), OLD.\(key), \(list.number), held.destination \
        FROM (SELECT 1) AS one LEFT JOIN \(links) ORDER BY held.destination
        """
    }

    private static func deleteNotedLinks(_ table: RecordedTable) -> String {
        "DELETE FROM \(removedLinkTable) WHERE entity = \(table.entityID) AND primary_key = OLD.\(key)"
    }
}
