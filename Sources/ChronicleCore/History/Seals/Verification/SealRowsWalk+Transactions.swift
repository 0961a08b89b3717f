/// The hashes of transactions and the commitments to their values.
extension SealRowsWalk {
    struct Result {
        var hash: HistoryDigest?
        /// The first description or value that is not what the hash of the transaction contains.
        var difference: (kind: SealVerification.Difference.Kind, position: Int64, detail: String)?
        /// Whether the rows are those of another transaction, which differs.
        var isReordered = false

        fileprivate mutating func add(
            _ kind: SealVerification.Difference.Kind, _ position: Int64, _ detail: String
        ) {
            if difference == nil { difference = (kind, position, detail) }
        }
    }

    /// Reads the changes of a transaction, and computes its hash (T).
    ///
    /// - Parameter mismatch: A transaction whose hash can be that of these rows.
    mutating func verify<Reader: SealedHistoryReading>(
        _ transaction: RecordedTransaction, _ reader: inout Reader, mismatch: Mismatch?
    ) throws -> Result {
        var result = Result()
        let includesValues = reader.includesValues
        guard let kind = transaction.kind, let description = transaction.commitment?.commitment else {
            result.add(.erased, transaction.position, "the commitment to the description is missing")
            while try reader.nextChange(into: &change) {}
            return result
        }
        try verifyDescription(of: transaction, description, includesValues, &result)
        var hash = SealedTransaction(
            position: transaction.position, checkValue: transaction.checkValue, kind: kind, description: description,
            first: transaction.first, hashing)
        var others = others(transaction, kind, description, mismatch)
        while try reader.nextChange(into: &change) {
            hash.append(
                change.change, at: change.position, entity: change.entity, key: change.key,
                attributes: change.attributes)
            for index in change.slots.indices {
                try verify(change.slots[index], transaction.position, includesValues, &hash, &result)
            }
            if let mismatch {
                let position = change.position &- transaction.first &+ mismatch.transaction.first
                for index in others.indices { others[index].append(change, at: position) }
            }
        }
        result.hash = try hash.finish()
        if let mismatch {
            for index in others.indices where try others[index].finish() == mismatch.hash { result.isReordered = true }
        }
        return result
    }

    /// The check value can be that of either transaction.
    private func others(
        _ transaction: RecordedTransaction, _ kind: SealedTransaction.Kind, _ description: HistoryDigest,
        _ mismatch: Mismatch?
    ) -> [SealedTransaction] {
        guard let mismatch = mismatch?.transaction else { return [] }
        return [mismatch.checkValue, transaction.checkValue].map {
            SealedTransaction(
                position: mismatch.position, checkValue: $0, kind: kind, description: description,
                first: mismatch.first,
                hashing)
        }
    }

    private func verifyDescription(
        of transaction: RecordedTransaction, _ commitment: HistoryDigest, _ includesValues: Bool, _ result: inout Result
    ) throws {
        guard let description = transaction.description else {
            if includesValues { result.add(.description, transaction.position, "the description is missing") }
            return
        }
        guard let key = transaction.commitment?.key else {
            if includesValues { result.add(.erased, transaction.position, "the key of the description is missing") }
            return
        }
        guard try description.commitment(key: key, hashing) != commitment else { return }
        result.add(
            .description, transaction.position,
            "the author, the time, the metadata or the program is not what was sealed")
    }

    // MARK: Values

    private mutating func verify(
        _ slot: RecordedSlot, _ transaction: Int64, _ includesValues: Bool, _ hash: inout SealedTransaction,
        _ result: inout Result
    ) throws {
        var position: Int64 {
            if case .position(let position) = slot.row { position } else { transaction }
        }
        guard let known = slot.commitment, let attribute = known.attribute, let commitment = known.commitment else {
            hash.appendSlotWithoutValue()
            if slot.attribute != nil { result.add(.value, position, "the row had no value when it was sealed") }
            return
        }
        hash.append(attribute: attribute, commitment: commitment)
        if known.key == nil, slot.attribute == nil || !includesValues {
            if let event = known.event {
                erased[event, default: []].append(slot.row)
            } else if includesValues {
                result.add(.erased, position, "the value is missing without an event")
            }
            return
        }
        guard let key = known.key else {
            return known.event == nil
                ? result.add(.erased, position, "the key of the value is missing without an event")
                : result.add(.value, position, "a value is in the place of an erased one")
        }
        guard let present = slot.attribute else {
            return result.add(
                .erased, position, "the value is missing and its key is not; erase the values of the attribute again")
        }
        guard known.event == nil else { return result.add(.restored, position, "an erased value was written again") }
        guard present == attribute else {
            return result.add(.value, position, "the value is that of another attribute")
        }
        guard let value = slot.value else { return }
        if try !isSealed(value, attribute, key, commitment) {
            result.add(.value, position, "the value is not the one that was sealed")
        }
    }

    /// The number of a class is hashed in place of its name. A text may have named no class when it was sealed.
    private func isSealed(
        _ value: (before: RecordedValue, after: RecordedValue), _ attribute: Int64, _ key: HistoryDigest,
        _ commitment: HistoryDigest
    ) throws -> Bool {
        func matches(_ before: [[UInt8]: Int64]?, _ after: [[UInt8]: Int64]?) throws -> Bool {
            try value.before.withSealed(classes: before) { before in
                try value.after.withSealed(classes: after) { after in
                    try hashing.commitment(toAttribute: attribute, before: before, after: after, key: key)
                }
            } == commitment
        }
        guard classes.isClass(attribute, of: change.entity) else { return try matches(nil, nil) }
        let names = classes.numbers
        return try matches(names, names) || matches(nil, nil) || matches(names, nil) || matches(nil, names)
    }
}

extension SealedTransaction {
    /// Appends a change with its commitments.
    fileprivate mutating func append(_ change: RecordedChange, at position: Int64) {
        append(change.change, at: position, entity: change.entity, key: change.key, attributes: change.attributes)
        for slot in change.slots {
            if let known = slot.commitment, let attribute = known.attribute, let commitment = known.commitment {
                append(attribute: attribute, commitment: commitment)
            } else {
                appendSlotWithoutValue()
            }
        }
    }
}
