import Foundation
import SwiftData

@Model
public final class Draft {
    public var text: String
    public var editedAt: Date

    public init(text: String = "") {
        self.text = text
        editedAt = .now
    }
}

/// An editor whose changes the main context saves automatically.
@MainActor
public final class DraftEditor {
    private let context: ModelContext
    public private(set) var draft: Draft?

    public init(container: ModelContainer) {
        context = container.mainContext
    }

    public var savesAutomatically: Bool {
        get { context.autosaveEnabled }
        set { context.autosaveEnabled = newValue }
    }

    public func begin() {
        let draft = Draft()
        context.insert(draft)
        self.draft = draft
    }

    public func type(_ text: String) {
        draft?.text += text
        draft?.editedAt = .now
    }

    public func discard() {
        if let draft { context.delete(draft) }
        draft = nil
    }
}

/// A context that saves only on request, for work in the background.
public func backgroundContext(of container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
}
