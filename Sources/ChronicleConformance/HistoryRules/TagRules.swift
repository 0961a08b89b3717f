public import Chronicle

extension StoreRule where Store: HistoryProviding {
    /// Rules about named positions, for stores that adopt `HistoryTagging`. They are skipped for other stores.
    public static var tags: [StoreRule] { [taggedPositions, uniqueTags, reopenedTags] }

    private typealias Tagging = any HistoryTagging<Store.HistoryType>

    private static func tagging(_ harness: StoreHarness<Store>) throws -> Tagging {
        try require(harness.store as? Tagging, "a store that adopts HistoryTagging")
    }

    private static func tokens(_ harness: StoreHarness<Store>) throws -> [String: Store.HistoryType.TokenType] {
        try tagging(harness).historyTags().reduce(into: [:]) { $0[$1.name] = $1.token }
    }

    static var taggedPositions: StoreRule {
        StoreRule("a tag names the position at which it was created, and is not a change") { harness in
            let store = try tagging(harness)
            try harness.write("a", "b")
            let tag = try store.tagHistory("before", replacing: false)
            try expect(tag.name, is: "before", "the name of the tag")
            try expect(harness.history().count, is: 2, "the number of transactions after tagging")
            try harness.write("c", "d")
            let token = try require(tokens(harness)["before"], "the tag")
            try expect(token, is: tag.token, "the token of the tag after more saves")
            try expect(
                harness.titles(harness.history(.after(token))), is: ["c", "d"], "the transactions after the tag")
        }
        .requiring("HistoryTagging", Store.self is any HistoryTagging.Type)
    }

    static var uniqueTags: StoreRule {
        StoreRule("the name of a tag is unique, and a tag moves only if this is requested") { harness in
            let store = try tagging(harness)
            try harness.write("a")
            let first = try store.tagHistory("name", replacing: false).token
            try harness.write("b")
            try expect(.duplicateHistoryTag, of: "tagging with an existing name") {
                try store.tagHistory("name", replacing: false)
            }
            try expect(tokens(harness), is: ["name": first], "the tags after the rejected one")
            let second = try store.tagHistory("name", replacing: true).token
            try expect(first < second, "a later position of the replaced tag")
            try expect(tokens(harness), is: ["name": second], "the tags after replacing one")
            try expect(store.deleteHistoryTag("other"), is: false, "the result of deleting an unknown tag")
            try expect(store.deleteHistoryTag("name"), is: true, "the result of deleting the tag")
            try expect(tokens(harness).isEmpty, "no tags after deleting the tag")
        }
        .requiring("HistoryTagging", Store.self is any HistoryTagging.Type)
    }

    static var reopenedTags: StoreRule {
        StoreRule("tags remain when the store is opened again", needs: .reopening) { harness in
            let configuration = try harness.newConfiguration()
            let token = try harness.opening(configuration) { harness in
                try harness.write("a")
                return try tagging(harness).tagHistory("kept", replacing: false).token
            }
            try harness.opening(configuration) { harness in
                try expect(tokens(harness), is: ["kept": token], "the tags of the reopened store")
                try harness.write("b")
                try expect(
                    harness.titles(harness.history(.after(token))), is: ["b"], "the transactions after the tag")
            }
        }
        .requiring("HistoryTagging", Store.self is any HistoryTagging.Type)
    }
}
