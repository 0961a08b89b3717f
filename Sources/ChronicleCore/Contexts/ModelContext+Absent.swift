public import Foundation

// What code that is written for SwiftData asks for, and what to do instead.
extension ModelContext {
    @available(*, unavailable, message: "a context saves when `save()` is called: leave this away, and call it")
    public var autosaveEnabled: Bool {
        get { false }
        set {}
    }

    @available(*, unavailable, message: "there is no undo manager: `rollback()` takes back what was not saved")
    public var undoManager: AnyObject? {
        get { nil }
        set {}
    }

    @available(*, unavailable, message: "nothing is posted: `fetchHistory` has what was saved, by whomever")
    public static var willSave: Notification.Name { Notification.Name("") }

    @available(*, unavailable, message: "nothing is posted: `fetchHistory` has what was saved, by whomever")
    public static var didSave: Notification.Name { Notification.Name("") }

    @available(*, unavailable, message: "use `fetch(_:)`, or `enumerate(_:batchSize:block:)` where there are many")
    public func fetch<Model>(_ descriptor: FetchDescriptor<Model>, batchSize: Int) throws -> [Model] { [] }
}

extension ModelContainer {
    @available(*, unavailable, message: "delete the models of each class, with `context.delete(model:)`")
    public func deleteAllData() {}

    @available(*, unavailable, message: "delete the models of each class, with `context.delete(model:)`")
    public func erase() throws {}
}
