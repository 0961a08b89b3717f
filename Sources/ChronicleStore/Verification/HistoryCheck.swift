import ChronicleCore
import ChronicleSQLite

/// The rows of `chronicle_change`, and the sources and summaries of the transactions.
final class HistoryCheck {
    private let verifier: StoreVerifier
    private let properties: MetaCheck.Properties
    private let entities: [Int64: Entity]
    private let knowsEntities: Bool
    private var headers: HeaderCheck
    /// 0 before the first row.
    private var last: Int64 = 0
    /// The first change that no header has followed yet.
    private var firstOpen: Int64?
    private var change: Change?

    private struct Entity {
        let attributes: Set<Int64>
        let links: Set<Int64>
    }

    private struct Change {
        let position: Int64
        let entity: Int64
        let key: Int64
        let operation: ChangeTable.Operation
        let masks: Set<Int64>
    }

    init(
        _ verifier: StoreVerifier, _ properties: MetaCheck.Properties, _ registry: RegistryCheck.Registry?
    ) throws {
        (self.verifier, self.properties) = (verifier, properties)
        entities = Dictionary(
            uniqueKeysWithValues: (registry?.entities ?? []).map { entity in
                let links = entity.attributes.filter { !$0.isPresent && $0.destination != nil }
                return (
                    entity.number,
                    Entity(
                        attributes: Set(entity.attributes.map { Int64($0.number) }),
                        links: Set(links.map { Int64($0.number) }))
                )
            })
        knowsEntities = registry != nil
        headers = try HeaderCheck(verifier, properties)
    }

    func run() throws {
        let newest = Double(max(properties.newest, 1))
        try verifier.forEachRow("SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) ORDER BY id") { statement in
            let position = statement.int64(ChangeTable.Column.id)
            if position & 0xffff == 0 { verifier.show(Double(position) / newest / 2) }
            try checkPosition(position)
            // What a purge has partly deleted is not read.
            if position > properties.purged { try check(statement, position) }
            last = position
        }
        try headers.finish()
    }

    private func checkPosition(_ position: Int64) throws {
        guard HistoryPosition.valid.contains(position) else {
            return try verifier.report(.position, at: position, "the position is out of range")
        }
        // Deleted transactions leave gaps up to the highest deleted position.
        if position > max(properties.floor, 0) + 1, position != last + 1 {
            try verifier.report(.position, at: position, "the rows before it are missing")
        }
    }

    private func check(_ statement: Statement, _ position: Int64) throws {
        guard statement.isInteger(ChangeTable.Column.kind) else {
            return try verifier.report(.change, at: position, "the kind is not a number")
        }
        let kind = ChangeTable.Kind(rawValue: statement.int64(ChangeTable.Column.kind))
        if kind.isChange {
            firstOpen = firstOpen ?? position
            return try checkChange(statement, position, kind)
        }
        if kind.isHeader {
            try headers.check(statement, position, kind, firstChange: firstOpen)
        } else {
            if firstOpen != nil {
                try verifier.report(.header, at: position, "the changes before it belong to no transaction")
            }
            try headers.checkVoid(statement, position)
        }
        (firstOpen, change) = (nil, nil)
    }

    // MARK: Changes

    private func checkChange(_ statement: Statement, _ position: Int64, _ kind: ChangeTable.Kind) throws {
        guard let operation = kind.operation else {
            change = nil
            return try verifier.report(.change, at: position, "the kind is unknown")
        }
        guard let entity = entities[kind.entity] else {
            change = nil
            guard knowsEntities else { return }
            return try verifier.report(.change, at: position, "the entity \(kind.entity) is unknown")
        }
        guard statement.isInteger(ChangeTable.Column.primaryKey) else {
            change = nil
            let advice = verifier.isTracked ? "; if a program has rebuilt its table, use `chronicle track FILE`" : ""
            return try verifier.report(.change, at: position, "the primary key is not an integer\(advice)")
        }
        let key = statement.int64(ChangeTable.Column.primaryKey)
        guard operation != .preservedValue else {
            return try checkValue(statement, position, kind.entity, key, entity)
        }
        let masks = operation == .update ? try masks(statement, position, entity) : []
        let change = Change(position: position, entity: kind.entity, key: key, operation: operation, masks: masks)
        self.change = change
        if operation == .update {
            for column in [ChangeTable.Column.oldValue, ChangeTable.Column.newValue] where !statement.isNull(column) {
                try verifier.report(.change, at: position, "an update has a value in its own row")
            }
        } else {
            try checkNumber(statement, position, change, entity)
        }
    }

    private func masks(_ statement: Statement, _ position: Int64, _ entity: Entity) throws -> Set<Int64> {
        let column = ChangeTable.Column.attributes
        var masks: AttributeMasks?
        switch statement.storageClass(column) {
        case .integer: masks = AttributeMasks(statement.int64(column))
        case .text: masks = AttributeMasks(statement.text(column))
        case .real, .blob, .null: break
        }
        guard let masks, masks.isValid else {
            try verifier.report(.change, at: position, "the masks of the changed attributes are invalid")
            return []
        }
        if masks.isEmpty { try verifier.report(.change, at: position, "an update without changed attributes") }
        var numbers: Set<Int64> = []
        masks.forEach { numbers.insert(Int64($0)) }
        for number in numbers.subtracting(entity.attributes).sorted().prefix(1) {
            try verifier.report(.change, at: position, "the changed attribute \(number) is unknown")
        }
        return numbers
    }

    // MARK: Preserved values

    private func checkValue(
        _ statement: Statement, _ position: Int64, _ number: Int64, _ key: Int64, _ entity: Entity
    ) throws {
        guard let change, change.entity == number, change.key == key else {
            // A change that was reported has no values to check.
            guard self.change != nil || firstOpen == position else { return }
            return try verifier.report(.value, at: position, "the preserved value belongs to no change")
        }
        try checkNumber(statement, position, change, entity)
        guard change.operation == .update, !statement.isNull(ChangeTable.Column.attributes) else { return }
        let attribute = statement.int64(ChangeTable.Column.attributes)
        if !change.masks.isEmpty, !change.masks.contains(attribute) {
            try verifier.report(.value, at: position, "the update did not change the attribute \(attribute)")
        }
    }

    /// The value must be on the side of the operation.
    private func checkNumber(
        _ statement: Statement, _ position: Int64, _ change: Change, _ entity: Entity
    ) throws {
        let (old, new) = (
            !statement.isNull(ChangeTable.Column.oldValue), !statement.isNull(ChangeTable.Column.newValue)
        )
        guard !statement.isNull(ChangeTable.Column.attributes) else {
            if old || new { try verifier.report(.value, at: position, "a value without an attribute") }
            return
        }
        guard statement.isInteger(ChangeTable.Column.attributes) else {
            return try verifier.report(.value, at: position, "the attribute is not a number")
        }
        let number = statement.int64(ChangeTable.Column.attributes)
        guard entity.attributes.contains(number) else {
            return try verifier.report(.value, at: position, "the attribute \(number) is unknown")
        }
        if old, change.operation == .insert {
            try verifier.report(.value, at: position, "an insert has a previous value")
        }
        if new, change.operation == .delete { try verifier.report(.value, at: position, "a delete has a new value") }
        guard entity.links.contains(number) else { return }
        for column in [ChangeTable.Column.oldValue, ChangeTable.Column.newValue]
        where !statement.isNull(column) && !statement.isInteger(column) {
            try verifier.report(.value, at: position, "the destination of a link is not a primary key")
        }
    }
}
