/// Reads the bytes of a catalog.
extension SealedCatalog {
    /// Returns `nil` for bytes that are not ``bytes`` of a catalog.
    package init?(bytes: [UInt8]) {
        var reader = CatalogReader(rest: bytes[...])
        do {
            try reader.requireLabel()
            let entities = try reader.list { reader in
                Entity(
                    number: try reader.integer(), name: try reader.text(),
                    superentity: try reader.optional { try $0.integer() }, table: try reader.optional { try $0.text() },
                    keyColumns: try reader.optional { reader in try reader.list { try $0.text() } })
            }
            let attributes = try reader.list { reader in
                Attribute(
                    entity: try reader.integer(), number: try reader.integer(), name: try reader.text(),
                    type: try reader.optional { try $0.text() }, destination: try reader.optional { try $0.text() },
                    isPresent: try reader.byte() == 1)
            }
            self.init(entities: entities, attributes: attributes)
        } catch {
            return nil
        }
        // Excludes bytes after the end, and another order.
        guard self.bytes == bytes else { return nil }
    }
}

private struct CatalogReader {
    struct Invalid: Error {}

    var rest: ArraySlice<UInt8>

    mutating func requireLabel() throws {
        guard try take(SealWriter.Label.length).elementsEqual(SealWriter(.catalog).bytes) else { throw Invalid() }
    }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw Invalid() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func byte() throws -> UInt8 {
        guard let byte = rest.popFirst() else { throw Invalid() }
        return byte
    }

    mutating func integer() throws -> Int64 {
        Int64(bitPattern: try take(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    mutating func text() throws -> [UInt8] {
        guard let count = Int(exactly: try integer()) else { throw Invalid() }
        return Array(try take(count))
    }

    /// Whether a value or an element follows.
    private mutating func flag() throws -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw Invalid()
        }
    }

    mutating func optional<Value>(_ read: (inout CatalogReader) throws -> Value) throws -> Value? {
        try flag() ? try read(&self) : nil
    }

    mutating func list<Element>(_ read: (inout CatalogReader) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        while try flag() { elements.append(try read(&self)) }
        guard try integer() == Int64(elements.count) else { throw Invalid() }
        return elements
    }
}
