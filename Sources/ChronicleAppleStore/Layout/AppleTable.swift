import ChronicleCore
import ChronicleSQLite

struct AppleTable: Sendable {
    let name: String
    let columns: [Column]
    private let byName: [String: String]

    struct Column: Sendable {
        let name: String
        /// The declared type in upper case.
        let type: String
    }

    /// Throws `SwiftDataError.damagedFile` for a view, a virtual table or computed columns, which could run any code.
    init(_ name: String, _ connection: Connection) throws {
        self.name = name
        let statement = try connection.prepare("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?")
        try statement.bind(name, at: 1)
        guard try statement.step(), statement.int64(0) > 0 else {
            throw SwiftDataError.damagedFile.with(
                detail: "\(name) is not an ordinary table; another program replaced it", entityName: name)
        }
        let list = try connection.prepare("SELECT name, type, hidden FROM pragma_table_xinfo(?)")
        try list.bind(name, at: 1)
        var columns: [Column] = []
        while try list.step() {
            guard list.int64(2) == 0 else {
                throw SwiftDataError.damagedFile.with(
                    detail: "the table \(name) has computed columns; another program replaced it", entityName: name)
            }
            columns.append(Column(name: list.text(0), type: list.text(1).uppercased()))
        }
        self.columns = columns
        byName = Dictionary(columns.map { ($0.name.uppercased(), $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the name as the table declares it.
    func column(_ name: String) -> String? { byName[name.uppercased()] }

    /// The error names the table and the missing column.
    func require(_ names: String...) throws {
        for name in names where column(name) == nil {
            throw SwiftDataError.unsupportedFileVersion.with(
                detail: "the table \(self.name) has no column \(name); this version of the layout is not known",
                entityName: self.name)
        }
    }
}
