#if Postgres
    /// Partitions, and tables that inherit from others. No trigger records rows that appear or disappear because a table is
    /// attached, detached or dropped.
    struct TableAttachments {
        private var tables: [String: Table] = [:]

        private struct Table {
            /// Changes if the table is attached again.
            let version: String
            let parents: [String]
            /// The table existed before it became a partition.
            let isAttached: Bool
            let hasRows: Bool
        }

        init() {}

        private init(_ tables: [String: Table]) { self.tables = tables }

        /// The versions of attachments by the identifiers of the tables.
        typealias Versions = [String: String]

        var versions: Versions { tables.mapValues(\.version) }

        enum Change: String {
            case removed = "one of its partitions was dropped or detached"
            case replaced = "one of its partitions was detached and attached again"
            case added = "a table with rows was attached as a partition"
        }

        /// Finds what rows of tables belong to.
        ///
        /// A statement that creates a partition writes the rows of its columns together with that of the system column
        /// `tableoid`, which never changes, and one that attaches a table writes those of all columns again.
        ///
        /// - Parameter roots: A query for the identifiers of tables.
        /// - Returns: The relatives of each root.
        static func all(_ connection: Connection, ofRoots roots: String) throws -> [String: TableAttachments] {
            let found = try connection.run(
                """
                WITH RECURSIVE tree AS (
                SELECT r.oid AS root, i.inhrelid, i.inhparent, i.xmin::text AS version FROM (\(roots)) AS r(oid) \
                JOIN pg_inherits AS i ON i.inhparent = r.oid
                UNION SELECT t.root, i.inhrelid, i.inhparent, i.xmin::text FROM tree AS t \
                JOIN pg_inherits AS i ON i.inhparent = t.inhrelid)
                SELECT t.root::text, t.inhrelid::text, t.inhparent::text, t.version, \
                c.relispartition AND NOT EXISTS (SELECT FROM pg_attribute AS s JOIN pg_attribute AS a ON a.attrelid = s.attrelid \
                WHERE s.attrelid = c.oid AND s.attname = 'tableoid' AND a.attnum > 0 AND a.xmin = s.xmin AND a.cmin = s.cmin), \
                coalesce(pg_relation_size(c.oid), 0) > 0 \
                FROM tree AS t JOIN pg_class AS c ON c.oid = t.inhrelid ORDER BY t.root, c.oid, t.inhparent
                """, isPrepared: false)
            var tables: [String: [String: Table]] = [:]
            for row in 0..<found.count {
                let (root, table) = (found.text(row, 0), found.text(row, 1))
                let other = tables[root]?[table]
                tables[root, default: [:]][table] = Table(
                    version: (other.map { $0.version + "," } ?? "") + found.text(row, 3),
                    parents: (other?.parents ?? []) + [found.text(row, 2)],
                    isAttached: found.bool(row, 4), hasRows: found.bool(row, 5))
            }
            return tables.mapValues(TableAttachments.init)
        }

        func change(since earlier: Versions) -> Change? {
            if earlier.keys.contains(where: { tables[$0] == nil }) { return .removed }
            if earlier.contains(where: { tables[$0.key]?.version != $0.value }) { return .replaced }
            func isAttached(_ name: String) -> Bool {
                guard earlier[name] == nil, let table = tables[name] else { return false }
                return table.isAttached || table.parents.contains(where: isAttached)
            }
            return tables.contains { $0.value.hasRows && isAttached($0.key) } ? .added : nil
        }

        // MARK: As text

        static func text(_ versions: Versions) -> String {
            versions.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: " ")
        }

        /// `nil` if the text is not valid.
        static func versions(_ text: String) -> Versions? {
            var versions: Versions = [:]
            for part in text.split(separator: " ") {
                guard let colon = part.firstIndex(of: ":") else { return nil }
                versions[String(part[..<colon])] = String(part[part.index(after: colon)...])
            }
            return versions
        }
    }
#endif
