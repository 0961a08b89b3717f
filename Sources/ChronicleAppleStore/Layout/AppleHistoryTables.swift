import ChronicleCore

/// A file may not have all of the tables.
struct AppleHistoryTables: Sendable {
    static let (transactions, changes, strings) = ("ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING")
    static let names: Set<String> = [transactions, changes, strings]

    /// A text of a transaction `h`.
    struct Text: Sendable {
        /// The column with the key of an interned text, and a column with a text, which earlier versions have.
        let internedColumn, plainColumn: String?

        /// NULL where the layout has no column.
        var expression: String {
            let interned = internedColumn.map {
                "(SELECT ZNAME FROM \(AppleHistoryTables.strings) AS s WHERE s.Z_PK = \($0))"
            }
            switch (interned, plainColumn) {
            case (let interned?, let plain?): return "CAST(ifnull(\(interned), \(plain)) AS TEXT)"
            case (let only?, nil), (nil, let only?): return "CAST(\(only) AS TEXT)"
            case (nil, nil): return "NULL"
            }
        }
    }

    let author, contextName, bundleIdentifier, processName: Text
    let hasMasks: Bool
    /// The preserved values, in the order of the columns' numbers.
    let tombstones: [String]

    /// `nil` for a file without history. Throws `SwiftDataError.unsupportedFileVersion` with the name of a table whose
    /// layout is not known.
    init?(_ tables: [String: AppleTable]) throws {
        let (transactions, changes) = (tables[Self.transactions], tables[Self.changes])
        guard let transactions, let changes else {
            guard transactions == nil, changes == nil else {
                throw SwiftDataError.unsupportedFileVersion.with(
                    detail: "the file has the table \(transactions == nil ? Self.changes : Self.transactions) and not "
                        + "\(transactions == nil ? Self.transactions : Self.changes); the layout is not known")
            }
            return nil
        }
        try transactions.require("Z_PK", "ZTIMESTAMP")
        try changes.require("Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID")
        let strings = tables[Self.strings]
        try strings?.require("Z_PK", "ZNAME")
        func text(_ plain: String) -> Text {
            Text(
                internedColumn: strings == nil ? nil : transactions.column(plain + "TS").map { "h.\($0)" },
                plainColumn: transactions.column(plain).map { "h.\($0)" })
        }
        author = text("ZAUTHOR")
        contextName = text("ZCONTEXTNAME")
        bundleIdentifier = text("ZBUNDLEID")
        processName = text("ZPROCESSID")
        hasMasks = changes.column("ZCOLUMNS") != nil
        var tombstones: [String] = []
        while let column = changes.column("ZTOMBSTONE\(tombstones.count)") { tombstones.append(column) }
        self.tombstones = tombstones
    }
}
