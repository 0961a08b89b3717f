package import Foundation

/// A file with the layout of Core Data: trips with stops and friends, and a history of six transactions.
package enum AppleTrips {
    package static let model = AppleStoreModel([
        .init(
            "Trip", uniqueness: [["name"]],
            [
                .attribute("budget", 400, isOptional: true), .attribute("code", 1100, isOptional: true),
                .attribute("draft", 700, isOptional: true, isTransient: true),
                .toMany("friends", "Person", inverse: "trips"),
                .attribute("isDone", 800, default: .bool(false)), .composite("mood", [.attribute("mood", 700)]),
                .attribute("name", 700, isPreserved: true), .attribute("photo", 1000, isOptional: true),
                .composite("place", [.attribute("city", 700), .attribute("latitude", 500)]),
                .attribute("rating", 500, isOptional: true), .attribute("site", 1200, isOptional: true),
                .attribute("start", 900, isOptional: true), .toMany("stops", "Stop", inverse: "trip", rule: 2),
                .attribute("tags", 1800, isOptional: true),
            ]),
        .init(
            "BusinessTrip", superentity: "Trip",
            [.toOne("client", "Person"), .attribute("perDiem", 300, default: .integer(10))]),
        .init(
            "Stop", [.attribute("order", 300), .attribute("title", 700), .toOne("trip", "Trip", inverse: "stops")]),
        .init(
            "Person",
            [
                .toMany("knows", "Person"), .attribute("name", 700, isPreserved: true),
                .toMany("trips", "Trip", inverse: "friends"),
            ]),
    ])

    /// A keyed archive of an array, as SwiftData stores it.
    package static func archive(_ texts: [String]) -> [UInt8] {
        var writer = KeyedArchiveWriter()
        let elements = texts.map { writer.add(.text($0)) }
        let array = writer.array(elements)
        return writer.bytes(root: array)
    }

    /// The rows. Entities: 1 Person, 2 Stop, 3 Trip, 4 BusinessTrip.
    package static var rows: [String] {
        let tags = AppleStoreScript.hex(archive(["sea", "städte"]))
        return [
            "INSERT INTO ZPERSON(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Anna'), (2, 1, 1, 'Ben'), (3, 1, 1, 'Cleo')",
            """
            INSERT INTO ZTRIP(Z_PK, Z_ENT, Z_OPT, ZNAME, ZBUDGET, ZCODE, ZISDONE, ZMOOD, ZCITY, ZLATITUDE, ZPHOTO, ZRATING, \
            ZSITE, ZSTART, ZTAGS, ZCLIENT, ZPERDIEM) VALUES \
            (1, 3, 3, 'Rome', 10.11, x'00112233445566778899AABBCCDDEEFF', 1, 'calm', 'Roma', 41.5, x'01CAFE', 4.5, \
            'https://example.org/rome', 700000000, x'\(tags)', NULL, NULL), \
            (2, 3, 1, 'Oslo', 200, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 700000000.5, NULL, NULL, NULL), \
            (3, 4, 1, 'Bonn', NULL, NULL, 0, 'wild', NULL, NULL, NULL, 3, NULL, NULL, NULL, 3, 25)
            """,
            """
            INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZORDER, ZTITLE, ZTRIP, Z3_TRIP) VALUES \
            (1, 2, 1, 2, 'Forum', 1, 3), (2, 2, 1, 1, 'Termini', 1, 3), (3, 2, 1, 1, 'Rathaus', 3, 4), \
            (4, 2, 1, 1, 'Nowhere', NULL, NULL)
            """,
            "INSERT INTO Z_1TRIPS(Z_1FRIENDS, Z_3TRIPS) VALUES (1, 1), (2, 1), (2, 3)",
            "INSERT INTO Z_1KNOWS(Z_1OWNER, Z_1KNOWS) VALUES (1, 2), (1, 3)",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 4",
        ]
    }

    /// Six transactions. The bits of a trip: budget, code, friends, isDone, mood, name, photo, place, rating, …
    package static let history = [
        "INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'org.example.app'), (2, 16003, NULL, 'TripApp'), "
            + "(3, 16003, NULL, 'widget'), (4, 16003, NULL, 'sync')",
        """
        INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) VALUES \
        (1, 16002, NULL, 1, NULL, 2, 743906532.380816), (2, 16002, 3, 1, NULL, 2, 743906533), \
        (3, 16002, NULL, 1, 4, 2, 743906540.25), (4, 16002, 3, 1, NULL, 2, 743906541), \
        (5, 16002, NULL, 1, NULL, 2, 743906542), (6, 16002, 4, 1, NULL, 2, 743906543)
        """,
        """
        INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) VALUES \
        (1, 16001, 0, 3, 1, 1, NULL), (2, 16001, 0, 1, 1, 1, NULL), (3, 16001, 0, 2, 1, 1, NULL), \
        (4, 16001, 1, 3, 1, 2, x'0480'), (5, 16001, 0, 4, 3, 3, NULL), (6, 16001, 1, 4, 3, 4, x'41'), \
        (7, 16001, 1, 3, 1, 5, x'2010'), (8, 16001, 0, 2, 2, 6, NULL)
        """,
        "INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZTOMBSTONE0) VALUES "
            + "(9, 16001, 2, 1, 4, 6, 'Dora')",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_ENT = 16001",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 6 WHERE Z_ENT = 16002",
    ]

    package static var script: AppleStoreScript {
        var script = AppleStoreScript(model)
        script.tombstoneCount = 1
        script.statements = rows + history
        return script
    }

    /// Writes the file to a directory.
    package static func write(to directory: TemporaryDirectory, _ change: (inout AppleStoreScript) -> Void = { _ in })
        throws -> URL
    {
        var script = script
        change(&script)
        let url = directory.file("default.store")
        try script.write(to: url)
        return url
    }
}
