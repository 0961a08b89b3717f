import Chronicle
import Foundation

// Keeps named positions of the history beside the models.
extension MemoryStore: HistoryTagging {
    public func historyTags() throws -> [HistoryTag<DefaultHistoryToken>] {
        Array(configuration.memory.contents.tags.values)
    }

    public func tagHistory(_ name: String, replacing: Bool) throws -> HistoryTag<DefaultHistoryToken> {
        try configuration.memory.change { contents in
            guard replacing || contents.tags[name] == nil else {
                throw SwiftDataError.duplicateHistoryTag.with(detail: "there is a tag \"\(name)\"")
            }
            let token = DefaultHistoryToken(storeIdentifier: identifier, position: contents.history.newest)
            let tag = HistoryTag(name: name, token: token, date: .now)
            contents.tags[name] = tag
            return tag
        }
    }

    public func deleteHistoryTag(_ name: String) throws -> Bool {
        try configuration.memory.change { $0.tags.removeValue(forKey: name) != nil }
    }
}
