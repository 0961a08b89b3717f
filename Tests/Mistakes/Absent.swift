// The compiler's diagnostics for members of SwiftData that are unavailable; checked by `.ci/mistakes`.

import Chronicle
import Foundation

func leave(_ context: ModelContext) {
    // expected-error@+1 {{'undoManager' is unavailable: Foundation has no UndoManager on this platform; call `rollback()` to discard unsaved changes}}
    context.undoManager = nil
}

// expected-error@+1 {{'private' is unavailable: Chronicle does not synchronize with iCloud; pass `.none` or omit the argument}}
let cloud = ModelConfiguration(cloudKitDatabase: .private("iCloud.trips"))
