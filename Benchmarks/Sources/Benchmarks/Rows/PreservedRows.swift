import Chronicle
import Foundation

/// Work on a file that preserves the values of all properties, compared with a file that preserves only those of deleted
/// models.
enum PreservedRows {
    static var all: [Row] {
        [
            row("preserved values: insert 10,000", limit: 4) { store in
                try timed { try store.insert(10_000, perSave: 10_000) }
            },
            row("preserved values: update one attribute of 10,000", limit: 1.5) { store in
                let trips = try fill(store)
                return try timed {
                    for trip in trips { trip.rating = 17 }
                    try store.context.save()
                }
            },
            row("preserved values: update four attributes of 10,000", limit: 2.5) { store in
                let trips = try fill(store)
                return try timed {
                    for trip in trips { (trip.rating, trip.nights, trip.note, trip.name) = (17, 18, "note", "name") }
                    try store.context.save()
                }
            },
            row("preserved values: delete 10,000", limit: 2.5) { store in
                let trips = try fill(store)
                return try timed {
                    for trip in trips { store.context.delete(trip) }
                    try store.context.save()
                }
            },
            Row(name: "preserved values: add 10,000 links to a model", limit: .ratio(3), runs: 7) { runs in
                try compare(
                    runs: runs, { try links(NoteStore(file: $0)) },
                    { directory in
                        let store = try NoteStore(file: directory)
                        for case let sqlite as DefaultStore in store.container.stores {
                            try sqlite.setPreservesValues(true)
                        }
                        return try links(store)
                    })
            },
            Row(name: "preserved values: bytes for an updated attribute", limit: .bytes(40), runs: 1) { _ in
                try bytes()
            },
        ]
    }

    private static func row(_ name: String, limit: Double, _ work: @escaping (TripStore) throws -> Duration) -> Row {
        Row(name: name, limit: .ratio(limit), runs: 11) { runs in
            try compare(
                runs: runs, { try work(TripStore($0, .relaxed)) },
                { try work(TripStore($0, .relaxed, preservesValues: true)) })
        }
    }

    private static func links(_ store: NoteStore) throws -> Duration {
        let (notes, tags) = (try store.notes(1), try store.saved(10_000, Tag.init))
        return try timed {
            notes[0].tags = tags
            try store.context.save()
        }
    }

    private static func fill(_ store: TripStore) throws -> [Trip] {
        try store.insert(10_000, perSave: 10_000)
        return try store.context.fetch(FetchDescriptor<Trip>())
    }

    /// The size difference between files with and without preserved values, for 100,000 updates of an integer.
    private static func bytes() throws -> Row.Outcome {
        func size(preservesValues: Bool) throws -> Int {
            try withTemporaryDirectory { directory in
                let url: URL
                do {
                    let store = try TripStore(directory, .relaxed, recordsHistory: false)
                    try store.insert(10_000, perSave: 10_000)
                }
                do {
                    let store = try TripStore(directory, .relaxed)
                    for case let sqlite as DefaultStore in store.container.stores {
                        try sqlite.setPreservesValues(preservesValues)
                    }
                    let trips = try store.context.fetch(FetchDescriptor<Trip>())
                    for round in 0..<10 {
                        for trip in trips { trip.rating = 1_000 + round }
                        try store.context.save()
                    }
                    url = store.url
                }
                // Closing the last connection removes the log.
                return try fileSize(url)
            }
        }
        let difference = try size(preservesValues: true) - size(preservesValues: false)
        return Row.Outcome(median: .bytes(Double(difference) / 100_000))
    }
}
