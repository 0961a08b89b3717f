// The compiler's diagnostics for members of SwiftData that are unavailable; checked by `.ci/mistakes`.

import Chronicle
import Foundation

func leave(_ context: ModelContext) {
    // expected-error@+1 {{'autosaveEnabled' is unavailable: contexts do not save automatically; call `save()`}}
    context.autosaveEnabled = false
    // expected-error@+1 {{'undoManager' is unavailable: undo is not supported; call `rollback()` to discard unsaved changes}}
    context.undoManager = nil
    // expected-error@+1 {{'didSave' is unavailable: contexts post no notifications; call `fetchHistory(_:)` to find saved changes}}
    _ = ModelContext.didSave
}

// expected-error@+1 {{'private' is unavailable: Chronicle does not synchronize with iCloud; pass `.none` or omit the argument}}
let cloud = ModelConfiguration(cloudKitDatabase: .private("iCloud.trips"))
