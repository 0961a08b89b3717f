extension ModelContext {
    /// Gives the current position of the history a durable name.
    ///
    /// Two names are the same if their UTF-8 is, so composed and decomposed characters make different names.
    ///
    /// The tag is stored in every store of the container with default history, and visible to all programs that use them. It names
    /// the last saved state; unsaved changes of the context are not part of it. Several stores are tagged one after the other, so
    /// an error can leave the tag in some of them; call the method again with `replacing: true`.
    ///
    /// A tag does not keep history: when the history up to it and beyond is deleted, for example by ``HistoryRetention``, the tag
    /// remains, and its token throws ``SwiftDataError/historyTokenExpired``.
    ///
    /// - Parameters:
    ///   - name: The name of the tag.
    ///   - replacing: Whether to move a tag of this name to the current position.
    /// - Returns: The token of the position.
    /// - Throws:
    ///   - ``SwiftDataError/duplicateHistoryTag`` if a store has a tag of this name. The tag was not moved in any store.
    ///   - ``SwiftDataError/valueOutOfRange`` if the name is empty or contains a NUL character.
    ///   - ``SwiftDataError/invalidTransactionFetchRequest`` if no store has default history.
    ///   - ``SwiftDataError/unsupportedFeature`` if a store does not support tags.
    ///   - ``SwiftDataError/historyDisabled`` if no store records history.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration of a store does not allow saving.
    ///   - ``SwiftDataError/storeBusy`` or another error of the store. Try again.
    /// - Complexity: O(log *n*) for each store, where *n* is the length of the history, unless there are unsaved changes of other
    ///   programs, which are grouped into a transaction first.
    @discardableResult
    public func tag(_ name: String, replacing: Bool = false) throws -> DefaultHistoryToken {
        try StoredName.tag.validate(name)
        let stores = try taggingStores()
        if !replacing {
            for store in stores where try tags(of: store).contains(where: { $0.name.hasSameBytes(as: name) }) {
                throw SwiftDataError.duplicateHistoryTag.with(
                    detail: "there is a tag \"\(name)\"; choose another name, or replace the tag")
            }
        }
        return try ReadCancellation.suspended {
            try stores.reduce(DefaultHistoryToken()) { token, store in
                try token.merging(
                    attributingErrors(to: store) { try store.tagHistory(name, replacing: replacing).token })
            }
        }
    }

    /// Returns the position of a tag, for example for ``HistoryDescriptor/after(_:)-(DefaultHistoryToken)``.
    ///
    /// - Parameter name: The name of the tag.
    /// - Returns: The token, with the position in each store that has the tag.
    /// - Throws: ``SwiftDataError/historyTagNotFound`` if no store has a tag of this name. The errors of ``tags()``, such as
    ///   ``SwiftDataError/unsupportedFeature``.
    public func token(tagged name: String) throws -> DefaultHistoryToken {
        guard let tag = try tags().first(where: { $0.name.hasSameBytes(as: name) }) else {
            throw Self.tagNotFound(name)
        }
        return tag.token
    }

    /// Returns all tags of the container's stores, ordered by name. A name that several stores have is one tag, with a token that
    /// has all positions, and with the latest date.
    ///
    /// - Returns: The tags, including those whose tokens expired.
    /// - Throws:
    ///   - ``SwiftDataError/invalidTransactionFetchRequest`` if no store has default history.
    ///   - ``SwiftDataError/unsupportedFeature`` if a store does not support tags.
    ///   - ``SwiftDataError/damagedFile`` if a tag in a file is damaged. Delete its row.
    ///   - ``SwiftDataError/storeBusy`` or another error of the store. Try again.
    /// - Complexity: O(*n* log *n*), where *n* is the number of tags.
    public func tags() throws -> [HistoryTag<DefaultHistoryToken>] {
        // Not by the name itself, because equal strings can differ in their bytes.
        var tags: [PropertyValue: HistoryTag<DefaultHistoryToken>] = [:]
        for tag in try taggingStores().flatMap({ try self.tags(of: $0) }) {
            let known = tags[.text(tag.name)]
            tags[.text(tag.name)] = HistoryTag(
                name: tag.name, token: known?.token.merging(tag.token) ?? tag.token,
                date: max(known?.date ?? tag.date, tag.date))
        }
        return tags.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Deletes a tag from all stores. The history and tokens of the tag are not affected.
    ///
    /// - Parameter name: The name of the tag.
    /// - Throws: ``SwiftDataError/historyTagNotFound`` if no store has a tag of this name. ``SwiftDataError/storeReadOnly`` if the
    ///   configuration of a store does not allow saving. The errors of ``tags()``, such as ``SwiftDataError/storeBusy``; call the
    ///   method again.
    public func deleteTag(_ name: String) throws {
        let stores = try taggingStores()
        let wasFound = try ReadCancellation.suspended {
            try stores.map { store in try attributingErrors(to: store) { try store.deleteHistoryTag(name) } }
        }
        guard wasFound.contains(true) else { throw Self.tagNotFound(name) }
    }

    /// All stores with default history must support tags.
    private func taggingStores() throws -> [any HistoryTagging<DefaultHistoryTransaction>] {
        try providers(of: DefaultHistoryTransaction.self).map { provider in
            try attributingErrors(to: provider) {
                guard let store = provider as? any HistoryTagging<DefaultHistoryTransaction> else {
                    throw DataStoreError.unsupportedFeature.with(detail: "tags")
                }
                return store
            }
        }
    }

    private func tags(
        of store: any HistoryTagging<DefaultHistoryTransaction>
    ) throws -> [HistoryTag<DefaultHistoryToken>] {
        try attributingErrors(to: store) { try store.historyTags() }
    }

    private static func tagNotFound(_ name: String) -> SwiftDataError {
        .historyTagNotFound.with(detail: "there is no tag \"\(name)\"; use a name that `tags()` returns")
    }
}
