import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// The names of a file, as a seal contains them.
extension SealedCatalog {
    /// Must be used in a transaction. Reads names as bytes, which a `String` would compare otherwise.
    init(_ connection: Connection) throws {
        let entities = try connection.prepare(
            "SELECT id, name, superentity, table_name, key_columns FROM chronicle_entity ORDER BY id")
        self.init(entities: [], attributes: [])
        while try entities.step() {
            let row = FileRow.entity(entities.int64(0))
            self.entities.append(
                Entity(
                    number: try entities.integer(0, of: row), name: try entities.bytes(1, of: row) ?? [],
                    superentity: entities.isNull(2) ? nil : try entities.integer(2, of: row),
                    table: try entities.bytes(3, of: row), keyColumns: try Self.keyColumns(entities, of: row)))
        }
        let attributes = try connection.prepare(
            "SELECT entity, number, name, type, destination, present FROM chronicle_attribute ORDER BY entity, number")
        while try attributes.step() {
            let row = FileRow.attribute(entity: attributes.int64(0), number: attributes.int64(1))
            self.attributes.append(
                Attribute(
                    entity: try attributes.integer(0, of: row), number: try attributes.integer(1, of: row),
                    name: try attributes.bytes(2, of: row) ?? [], type: try attributes.bytes(3, of: row),
                    destination: try attributes.bytes(4, of: row),
                    isPresent: try attributes.integer(5, in: 0...1, of: row) == 1))
        }
    }

    private static func keyColumns(_ statement: Statement, of row: FileRow) throws -> [[UInt8]]? {
        guard let json = try statement.bytes(4, of: row) else { return nil }
        do {
            return try JSONDecoder().decode([String].self, from: Data(json)).map { Array($0.utf8) }
        } catch is DecodingError {
            throw SwiftDataError.damagedRow(row, "the columns of its primary key are invalid")
        }
    }

    /// Records a change of the names by a part of a transaction, if the history of the file is sealed.
    static func recordingChanges<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
        guard try FileFormat.hasMetaTable(connection), try SealTables.exist(connection) else { return try body() }
        let before = try SealedCatalog(connection).bytes
        let result = try body()
        if try SealedCatalog(connection).bytes != before { try EventTable(connection).add(.names, NoDetail()) }
        return result
    }
}

extension Statement {
    /// The UTF-8 of a text as it is stored; `nil` for NULL.
    func bytes(_ column: Int32, of row: FileRow) throws -> [UInt8]? {
        switch storageClass(column) {
        case .null: return nil
        case .text: return withText(column) { Array($0) }
        case .integer, .real, .blob:
            throw SwiftDataError.damagedRow(row, "the value of \"\(columnName(column))\" is not text")
        }
    }
}
