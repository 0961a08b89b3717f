import Composing
import Foundation
import SwiftData
import Testing

@Suite struct ComposingTests {
    private let context: ModelContext
    private let day = Date(timeIntervalSinceReferenceDate: 86_400)

    init() throws {
        context = ModelContext(
            try ModelContainer(
                for: Clip.self, Source.self, Label.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)
            ))
        let mail = Source(name: "Mail")
        let (work, home) = (Label(name: "work", isPinned: true), Label(name: "home"))
        let clips = [
            Clip("Invoice", copied: day, uses: 1), Clip(nil, kind: .file, copied: day + 10, expires: day + 20, uses: 2),
            Clip("https://swift.org", kind: .link, copied: day + 20, uses: 3), Clip("Mail", copied: day + 30),
        ]
        clips.forEach(context.insert)
        clips[0].labels = [work, home]
        clips[1].labels = [work]
        clips[0].source = mail
        clips[2].source = mail
        clips[2].isSecret = true
        try context.save()
    }

    private func texts(_ predicate: Predicate<Clip>) throws -> [String] {
        let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.copied)]))
        // The store and the evaluation in memory agree.
        let all = try context.fetch(FetchDescriptor<Clip>(sortBy: [SortDescriptor(\.copied)]))
        #expect(try all.filter { try predicate.evaluate($0) } == found)
        return found.map { $0.text ?? $0.kind }
    }

    @Test func expressionsWithoutTheMacro() throws {
        var search = ClipSearch()
        #expect(try texts(search.predicate).count == 4)
        search.kinds = [.link, .file]
        #expect(try texts(search.predicate) == ["file", "https://swift.org"])
        search.hidesSecrets = true
        #expect(try texts(search.predicate) == ["file"])
        search = ClipSearch()
        search.text = "MAIL"
        #expect(try texts(search.predicate) == ["Mail"])
        search = ClipSearch()
        search.after = day
        search.minimumUses = 2
        #expect(try texts(search.predicate) == ["file", "https://swift.org"])
        #expect(try context.fetch(search.descriptor(page: 1, size: 1)).map(\.kind) == ["file"])
    }

    @Test func expressionsInAnArray() throws {
        var search = ClipSearch()
        #expect(try texts(search.listedPredicate).count == 4)
        search.source = "Mail"
        #expect(try texts(search.listedPredicate) == ["Invoice", "https://swift.org"])
        search.hidesSecrets = true
        search.kinds = [.text]
        search.after = .distantPast
        #expect(try texts(search.listedPredicate) == ["Invoice"])
    }

    @Test func predicatesOfValues() throws {
        #expect(try texts(Clip.everything).count == 4)
        #expect(try texts(Clip.even) == ["file", "Mail"])
        #expect(try texts(Clip.unused) == ["Mail"])
        #expect(try texts(Clip.labeled(["work", "other"])) == ["Invoice", "file"])
        #expect(try texts(Clip.pinned(atLeast: 1)) == ["Invoice", "file"])
        #expect(try texts(Clip.from("Mail")) == ["Invoice", "https://swift.org", "Mail"])
        #expect(try texts(Clip.copied(in: day..<day + 20)) == ["Invoice", "file"])
        #expect(try texts(Clip.expired(at: day + 20)) == ["file"])
        #expect(try texts(Clip.matching("mail")) == ["Invoice", "https://swift.org", "Mail"])
        #expect(try texts(Clip.matching("")).count == 4)
        #expect(try texts(Clip.onlyPinned) == ["file", "https://swift.org", "Mail"])
        let busy = FetchDescriptor<Source>(predicate: Source.busy(.link, uses: 3))
        #expect(try context.fetch(busy).map(\.name) == ["Mail"])
    }

    @Test func deletesByExpressions() throws {
        var search = ClipSearch()
        search.source = "Mail"
        try context.delete(model: Clip.self, where: search.listedPredicate)
        #expect(try texts(Clip.everything) == ["file", "Mail"])
    }
}
