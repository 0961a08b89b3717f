import Autosaving
import Foundation
import SwiftData
import Testing

/// An editor that relies on the main context to save.
@MainActor @Suite(.serialized) struct AutosaveTests {
    private func container() throws -> ModelContainer {
        try ModelContainer(for: Draft.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    /// Waits for the next save of a context.
    private func nextSave(of context: ModelContext, after work: () -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let center = NotificationCenter.default
            let box = ObserverBox()
            box.observer = center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
                box.observer.map(center.removeObserver)
                continuation.resume()
            }
            work()
        }
    }

    private final class ObserverBox: @unchecked Sendable {
        var observer: (any NSObjectProtocol)?
    }

    @Test func theMainContextSavesByItself() async throws {
        let container = try container()
        let editor = DraftEditor(container: container)
        #expect(editor.savesAutomatically)
        await nextSave(of: container.mainContext) {
            editor.begin()
            editor.type("Once upon")
            editor.type(" a time")
        }
        let texts = try ModelContext(container).fetch(FetchDescriptor<Draft>()).map(\.text)
        #expect(texts == ["Once upon a time"])
        // One save for all changes of a turn.
        #expect(try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
        await nextSave(of: container.mainContext) { editor.discard() }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Draft>()) == 0)
    }

    @Test func savesCanBeLeftToTheProgram() async throws {
        let container = try container()
        #expect(!backgroundContext(of: container).autosaveEnabled)
        let editor = DraftEditor(container: container)
        editor.savesAutomatically = false
        editor.begin()
        // Turns of the main actor, after which an automatic save would have run.
        for _ in 0..<10 { await Task.yield() }
        #expect(container.mainContext.hasChanges)
        try container.mainContext.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Draft>()) == 1)
    }
}
