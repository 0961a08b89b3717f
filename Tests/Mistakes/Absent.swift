// What the compiler says about members of SwiftData that are not there: `.ci/mistakes`.

import Chronicle
import Foundation

func leave(_ context: ModelContext, _ container: ModelContainer) throws {
    // expected-error@+1 {{'autosaveEnabled' is unavailable: a context saves when `save()` is called: leave this away, and call it}}
    context.autosaveEnabled = false
    // expected-error@+1 {{'undoManager' is unavailable: there is no undo manager: `rollback()` takes back what was not saved}}
    context.undoManager = nil
    // expected-error@+1 {{'didSave' is unavailable: nothing is posted: `fetchHistory` has what was saved, by whomever}}
    _ = ModelContext.didSave
    // expected-error@+1 {{'deleteAllData()' is unavailable: delete the models of each class, with `context.delete(model:)`}}
    container.deleteAllData()
    // expected-error@+1 {{'erase()' is unavailable: delete the models of each class, with `context.delete(model:)`}}
    try container.erase()
}

// expected-error@+1 {{'identifier' is unavailable: Chronicle does not support app groups; pass the file's URL as `url:`}}
let group = ModelConfiguration(groupContainer: .identifier("group.trips"))
// expected-error@+1 {{'private' is unavailable: Chronicle does not synchronize with iCloud; pass `.none` or omit the argument}}
let cloud = ModelConfiguration(cloudKitDatabase: .private("iCloud.trips"))
