import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// The properties of the file in `chronicle_meta`.
struct MetaCheck {
    /// Other checks depend on these. Invalid ones have the value that allows the most checks.
    struct Properties {
        var newest: Int64 = 0
        var floor: Int64 = 0
        var floorCheckValue: Int64?
        var purged: Int64 = 0
        var gap: Int64 = 0
        var recordsHistory = true

        /// The position after which each change of a row is recorded.
        var completeAfter: Int64 { max(floor, purged, gap) }
    }

    let verifier: StoreVerifier
    private var connection: Connection { verifier.connection }

    init(verifier: StoreVerifier) { self.verifier = verifier }

    func run() throws -> Properties {
        var properties = Properties()
        properties.newest = try connection.scalarInt64(ChangeTable.selectNewestPosition) ?? 0
        try checkTexts(&properties)
        properties.floor = try position(.floor, properties) ?? 0
        properties.gap = try position(.gap, properties) ?? 0
        properties.purged = try position(.purged, properties) ?? 0
        _ = try position(.preservesValuesSince, properties)
        try verifier.check(.property) { _ = try MetaTable(connection).recordedSince(gap: 0) }
        try verifier.check(.property) { _ = try MetaTable(connection).lastDeletion(floor: 0) }
        try checkDeletions(properties)
        try checkErasedValues(properties)
        if properties.purged > properties.floor {
            try report(.purged, "the position was not deleted")
            properties.purged = 0
        }
        try verifier.check(.property) {
            properties.floorCheckValue = try MetaTable.integer(.floorCheck, connection)
        }
        if properties.floor > 0, properties.floorCheckValue == nil {
            try report(.floorCheck, "the check value of the highest deleted position is missing")
        }
        return properties
    }

    /// A program of an earlier version does not write the row when it raises the floor.
    private func checkDeletions(_ properties: Properties) throws {
        guard let text = try verifier.check(.property, { try MetaTable.text(.deletions, connection) }) ?? nil else {
            return
        }
        guard let deletions = SelectiveDeletions.unchecked(text) else {
            return try report(.deletions, "the value does not describe deleted transactions")
        }
        if deletions.floor > properties.newest || deletions.beginning < 0 || deletions.beginning >= deletions.floor {
            try report(.deletions, "a position was not deleted")
        }
    }

    private func checkErasedValues(_ properties: Properties) throws {
        guard let text = try verifier.check(.property, { try MetaTable.text(.erasedValues, connection) }) ?? nil else {
            return
        }
        guard let erased = ErasedValues(json: text) else {
            return try report(.erasedValues, "the value does not describe erased values")
        }
        if erased.newest > properties.newest {
            try report(.erasedValues, "a position is after the newest position of the history")
        }
    }

    private func checkTexts(_ properties: inout Properties) throws {
        try verifier.check(.property) {
            let identifier = try MetaTable.text(.storeIdentifier, connection)
            if identifier?.isEmpty ?? true { try report(.storeIdentifier, "the identifier of the store is missing") }
        }
        try verifier.check(.property) {
            if try MetaTable.integer(.format, connection) == nil { try report(.format, "the version is missing") }
        }
        for name in [MetaTable.Name.history, .preservesValues] {
            try verifier.check(.property) {
                let value = try MetaTable.text(name, connection)
                if value != "on", value != "off" { try report(name, "the value is neither on nor off") }
                if case .history = name { properties.recordsHistory = value != "off" }
            }
        }
        try verifier.check(.property) {
            guard let text = try MetaTable.text(.replayed, connection) else { return }
            do { _ = try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(text.utf8)) } catch is DecodingError
            {
                try report(.replayed, "the value is not a token")
            }
        }
    }

    /// The position cannot be after the newest one.
    private func position(_ name: MetaTable.Name, _ properties: Properties) throws -> Int64? {
        guard let position = try verifier.check(.property, { try MetaTable.position(name, connection) }) ?? nil else {
            return nil
        }
        guard position <= properties.newest else {
            try report(name, "the position is after the newest position of the history")
            return nil
        }
        return position
    }

    private func report(_ name: MetaTable.Name, _ detail: String) throws {
        try verifier.report(.property, "chronicle_meta", detail: "\(name.text): \(detail)")
    }
}
