/// The lines of what a store has recorded, and what lines say that a store has recorded.
extension SealedExportLine {
    /// A value that the format allows in JSON, but not there.
    struct Invalid: Error {
        let detail: String
    }
}

// MARK: Events, seals and catalogs

extension SealedExportLine.Event {
    init(_ event: SealedEvent) {
        self.init(
            number: event.number, kind: SealedExportText(event.kind), time: SealedExportReal(event.time),
            author: event.author.map(SealedExportText.init), program: event.program.map(SealedExportText.init),
            process: event.process.map(SealedExportText.init), detail: SealedExportText(event.detail),
            parts: event.parts.isEmpty
                ? nil : event.parts.map { Exact(Part(seal: $0.seal, content: SealedExportBytes($0.content))) })
    }

    var recorded: SealedEvent {
        var event = SealedEvent(number: number, kind: kind.bytes, time: time.number, detail: detail.bytes)
        (event.author, event.program, event.process) = (author?.bytes, program?.bytes, process?.bytes)
        event.parts = (parts ?? []).map { ($0.content.seal, $0.content.content.bytes) }
        return event
    }
}

extension SealedExportLine.Seal {
    init(_ seal: RecordedSeal) {
        self.init(
            number: seal.number, last: seal.last, lastCheck: seal.lastCheck, time: SealedExportReal(seal.time),
            previous: SealedExportDigest(seal.previous), catalogHash: SealedExportDigest(seal.catalogHash),
            hash: SealedExportDigest(seal.hash),
            transactions: SealedExportBytes(SealContent(seal, store: []).transactions),
            publicKey: seal.signature.map { SealedExportBytes($0.publicKey) },
            signature: seal.signature.map { SealedExportBytes($0.signature) })
    }

    /// Without its catalog and its events.
    func recorded() throws -> RecordedSeal {
        var seal = RecordedSeal(
            number: number, last: last, lastCheck: lastCheck, time: time.number, previous: previous.digest,
            catalogHash: catalogHash.digest, hash: hash.digest)
        guard let entries = transactions.bytes.withUnsafeBytes(SealContent.entries) else {
            throw SealedExportLine.Invalid(detail: "the list of transactions has no entries of 40 bytes")
        }
        seal.entries = entries
        seal.signature = RecordedSignature(storedKey: publicKey?.bytes, signature?.bytes)
        guard seal.signature != nil || publicKey == nil && signature == nil else {
            throw SealedExportLine.Invalid(detail: "a public key has 32 bytes, and its signature 64")
        }
        return seal
    }
}

extension SealedExportLine.Catalog {
    /// - Parameter bytes: Those that a seal stores.
    init(_ bytes: [UInt8]) {
        if let catalog = SealedCatalog(bytes: bytes) {
            self.init(catalog)
        } else {
            self.init(invalid: SealedExportBytes(bytes))
        }
    }

    init(_ catalog: SealedCatalog) {
        self.init(
            entities: catalog.entities.map {
                Exact(
                    Entity(
                        number: $0.number, name: SealedExportText($0.name), superentity: $0.superentity,
                        table: $0.table.map(SealedExportText.init),
                        keyColumns: $0.keyColumns.map { $0.map(SealedExportText.init) }))
            },
            attributes: catalog.attributes.map {
                Exact(
                    Attribute(
                        entity: $0.entity, number: $0.number, name: SealedExportText($0.name),
                        type: $0.type.map(SealedExportText.init),
                        destination: $0.destination.map(SealedExportText.init), present: $0.isPresent))
            })
    }

    func catalog() throws -> SealedCatalog {
        guard let entities, let attributes, invalid == nil else {
            throw SealedExportLine.Invalid(detail: "a catalog has entities and attributes")
        }
        return SealedCatalog(
            entities: entities.map {
                let entity = $0.content
                return SealedCatalog.Entity(
                    number: entity.number, name: entity.name.bytes, superentity: entity.superentity,
                    table: entity.table?.bytes, keyColumns: entity.keyColumns.map { $0.map(\.bytes) })
            },
            attributes: attributes.map {
                let attribute = $0.content
                return SealedCatalog.Attribute(
                    entity: attribute.entity, number: attribute.number, name: attribute.name.bytes,
                    type: attribute.type?.bytes, destination: attribute.destination?.bytes, isPresent: attribute.present
                )
            })
    }

    /// The bytes that the seal stores.
    func bytes() throws -> [UInt8] {
        guard let invalid else { return try catalog().bytes }
        guard entities == nil, attributes == nil else {
            throw SealedExportLine.Invalid(detail: "an invalid catalog has no entities and attributes")
        }
        return invalid.bytes
    }
}

// MARK: Transactions and changes

extension SealedExportLine.Commitment {
    init(_ commitment: RecordedCommitment, includesKey: Bool) {
        self.init(
            attribute: commitment.attribute, key: includesKey ? commitment.key.map(SealedExportDigest.init) : nil,
            hash: commitment.commitment.map(SealedExportDigest.init), event: commitment.event)
    }

    var recorded: RecordedCommitment {
        RecordedCommitment(attribute: attribute, key: key?.digest, commitment: hash?.digest, event: event)
    }
}

extension SealedExportLine.Transaction {
    init(_ transaction: RecordedTransaction, includesValues: Bool) {
        let kind: Kind =
            switch transaction.kind {
            case .ordinary: .ordinary
            case .external: .external
            case nil: .void
            }
        self.init(
            position: transaction.position, checkValue: transaction.checkValue, kind: kind, first: transaction.first,
            description: includesValues ? transaction.description.map { Exact(Description($0)) } : nil,
            commitment: transaction.commitment.map {
                Exact(SealedExportLine.Commitment($0, includesKey: includesValues))
            }, stray: transaction.strayPosition)
    }

    func recorded(includesValues: Bool) throws -> RecordedTransaction {
        guard description == nil || includesValues && kind != .void else {
            throw SealedExportLine.Invalid(detail: "a void header, or an export without values, has no description")
        }
        // The hash of a void header is over its position only.
        guard kind != .void || first == position && commitment == nil else {
            throw SealedExportLine.Invalid(detail: "a void header has its position as the first one, and no commitment")
        }
        let kind: SealedTransaction.Kind? =
            switch kind {
            case .ordinary: .ordinary
            case .external: .external
            case .void: nil
            }
        var transaction = RecordedTransaction(position: position, checkValue: checkValue, kind: kind, first: first)
        transaction.description = description?.content.recorded
        transaction.commitment = commitment?.content.recorded
        transaction.strayPosition = stray
        return transaction
    }
}

extension SealedExportLine.Transaction.Description {
    init(_ description: SealedDescription) {
        self.init(
            time: SealedExportReal(description.time), serverTime: description.serverTime.map(SealedExportReal.init),
            author: description.author.map(SealedExportText.init),
            context: description.context.map(SealedExportText.init),
            program: description.program.map(SealedExportText.init),
            process: description.process.map(SealedExportText.init),
            metadata: description.metadata.isEmpty
                ? nil
                : description.metadata.map {
                    Exact(
                        SealedExportLine.Transaction.Entry(
                            name: SealedExportText($0.name), value: SealedExportText($0.value)))
                })
    }

    var recorded: SealedDescription {
        var description = SealedDescription(time: time.number)
        description.serverTime = serverTime?.number
        (description.author, description.context) = (author?.bytes, context?.bytes)
        (description.program, description.process) = (program?.bytes, process?.bytes)
        description.metadata = (metadata ?? []).map { ($0.content.name.bytes, $0.content.value.bytes) }
        return description
    }
}

extension SealedExportLine.Change {
    init(_ change: RecordedChange, includesValues: Bool) {
        let kind: Kind =
            switch change.change {
            case .insert: .insert
            case .update: .update
            case .delete: .delete
            }
        self.init(position: change.position, kind: kind, entity: change.entity)
        switch change.key {
        case .integer(let key): primaryKey = key
        case .numbered(let number, let hash):
            numberedKey = Exact(NumberedKey(number: number, hash: SealedExportDigest(hash)))
        }
        attributes = change.attributes.isEmpty ? nil : change.attributes
        slots = change.slots.isEmpty ? nil : change.slots.map { Exact(Slot($0, includesValues: includesValues)) }
    }

    /// - Parameter change: Receives the change.
    func record(to change: inout RecordedChange, includesValues: Bool) throws {
        (change.position, change.entity) = (position, entity)
        change.change =
            switch kind {
            case .insert: .insert
            case .update: .update
            case .delete: .delete
            }
        switch (primaryKey, numberedKey?.content) {
        case (let key?, nil): change.key = .integer(key)
        case (nil, let key?): change.key = .numbered(key.number, key.hash.digest)
        default: throw SealedExportLine.Invalid(detail: "a change has one primary key")
        }
        change.attributes.removeAll(keepingCapacity: true)
        change.attributes.append(contentsOf: attributes ?? [])
        change.slots.removeAll(keepingCapacity: true)
        for slot in slots ?? [] { change.slots.append(try slot.content.recorded(includesValues: includesValues)) }
    }
}

extension SealedExportLine.Change.Slot {
    init(_ slot: RecordedSlot, includesValues: Bool) {
        func side(_ value: RecordedValue) -> SealedExportValue? { value == .null ? nil : SealedExportValue(value) }
        self.init(
            row: slot.row.integers, attribute: slot.attribute,
            value: includesValues
                ? slot.value.map {
                    Exact(SealedExportLine.Change.Value(before: side($0.before), after: side($0.after)))
                } : nil,
            commitment: slot.commitment.map {
                Exact(SealedExportLine.Commitment($0, includesKey: includesValues))
            })
    }

    func recorded(includesValues: Bool) throws -> RecordedSlot {
        var slot = RecordedSlot(row: try RecordedRow(exported: row), attribute: attribute)
        guard value == nil || includesValues && attribute != nil else {
            throw SealedExportLine.Invalid(detail: "an erased value, or an export without values, has no value")
        }
        // A value that is missing is not the one that was sealed.
        if includesValues, attribute != nil {
            slot.value = (value?.content.before?.value ?? .null, value?.content.after?.value ?? .null)
        }
        slot.commitment = commitment?.content.recorded
        return slot
    }
}

extension SealedExportLine.Erased {
    func recorded() throws -> (row: RecordedRow, event: Int64) { (try RecordedRow(exported: row), event) }
}

extension RecordedRow {
    fileprivate init(exported integers: [Int64]) throws {
        switch integers.count {
        case 1: self = .position(integers[0])
        case 3: self = .place(transaction: integers[0], change: integers[1], place: integers[2])
        default: throw SealedExportLine.Invalid(detail: "a row has one number or three")
        }
    }
}

extension SealedExportLine.Key {
    init(_ key: RecordedKey, includesValues: Bool) {
        self.init(
            entity: key.entity, number: key.number,
            columns: includesValues ? key.columns.map { $0.map(SealedExportValue.init) } : nil,
            commitment: Exact(SealedExportLine.Commitment(key.commitment, includesKey: includesValues)))
    }

    var recorded: RecordedKey {
        RecordedKey(
            entity: entity, number: number, columns: columns.map { $0.map(\.value) },
            commitment: commitment.content.recorded)
    }
}
