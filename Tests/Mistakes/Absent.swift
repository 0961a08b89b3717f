// The compiler's diagnostics for members of SwiftData that are unavailable; checked by `.ci/mistakes`.

import Chronicle
import Foundation

func leave(_ context: ModelContext, _ container: ModelContainer) throws {
    // expected-error@+1 {{'undoManager' is unavailable: Foundation has no UndoManager on this platform; call `rollback()` to discard unsaved changes}}
    context.undoManager = nil
    // expected-error@+1 {{'deleteAllData()' is unavailable: call `context.delete(model:)` for each model class}}
    container.deleteAllData()
    // expected-error@+1 {{'erase()' is unavailable: call `context.delete(model:)` for each model class}}
    try container.erase()
}

// expected-error@+1 {{'identifier' is unavailable: Chronicle does not support app groups; pass the file's URL as `url:`}}
let group = ModelConfiguration(groupContainer: .identifier("group.trips"))
// expected-error@+1 {{'private' is unavailable: Chronicle does not synchronize with iCloud; pass `.none` or omit the argument}}
let cloud = ModelConfiguration(cloudKitDatabase: .private("iCloud.trips"))
