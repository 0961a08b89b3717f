/// A store with a history that keeps named positions.
///
/// Adopt this protocol so that programs can use ``ModelContext/tag(_:replacing:)``. Keep the tags as durably as the models. They
/// are not changes: do not record them in the history, and do not keep history for them.
public protocol HistoryTagging<HistoryType>: HistoryProviding {
    /// Returns all tags in any order.
    ///
    /// - Returns: The tags, including those whose tokens expired.
    /// - Throws: The error that prevented the store from reading, such as ``SwiftDataError/storeBusy``.
    func historyTags() throws -> [HistoryTag<HistoryType.TokenType>]

    /// Names the current position of the history.
    ///
    /// - Parameters:
    ///   - name: The name of the tag.
    ///   - replacing: Whether a tag of this name moves to the current position.
    /// - Returns: The tag.
    /// - Throws: ``SwiftDataError/duplicateHistoryTag`` if there is a tag of this name and `replacing` is `false`;
    ///   ``SwiftDataError/historyDisabled`` if the store does not record changes; or the error that prevented the store from
    ///   writing. The tags must be unchanged after an error.
    func tagHistory(_ name: String, replacing: Bool) throws -> HistoryTag<HistoryType.TokenType>

    /// Deletes a tag.
    ///
    /// - Parameter name: The name of the tag.
    /// - Returns: Whether there was a tag of this name.
    /// - Throws: The error that prevented the store from writing, such as ``SwiftDataError/storeBusy``.
    func deleteHistoryTag(_ name: String) throws -> Bool
}
