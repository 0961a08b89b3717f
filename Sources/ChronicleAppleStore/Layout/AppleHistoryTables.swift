import ChronicleCore

/// A file may not have all of the tables.
struct AppleHistoryTables: Sendable {
    static let (transactions, changes, strings) = ("ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING")
    static let names: Set<String> = [transactions, changes, strings]

    /// The expressions for a transaction `h`, which are NULL where the layout has no column.
    let author, contextName, bundleIdentifier: String
    /// The name of the process, or the identifier of its bundle if the file does not have the name.
    let processIdentifier: String
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
        /// The interned text of a column, or that of a plain column, which earlier versions have.
        func text(_ plain: String) -> String {
            var parts: [String] = []
            if strings != nil, transactions.column(plain + "TS") != nil {
                parts.append("(SELECT ZNAME FROM \(Self.strings) AS s WHERE s.Z_PK = h.\(plain)TS)")
            }
            if transactions.column(plain) != nil { parts.append("h.\(plain)") }
            switch parts.count {
            case 0: return "NULL"
            case 1: return "CAST(\(parts[0]) AS TEXT)"
            default: return "CAST(ifnull(\(parts[0]), \(parts[1])) AS TEXT)"
            }
        }
        author = text("ZAUTHOR")
        contextName = text("ZCONTEXTNAME")
        bundleIdentifier = text("ZBUNDLEID")
        processIdentifier = "ifnull(\(text("ZPROCESSID")), \(bundleIdentifier))"
        hasMasks = changes.column("ZCOLUMNS") != nil
        var tombstones: [String] = []
        while let column = changes.column("ZTOMBSTONE\(tombstones.count)") { tombstones.append(column) }
        self.tombstones = tombstones
    }
}
