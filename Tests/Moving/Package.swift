// swift-tools-version: 6.3

import PackageDescription

// A model layer for SwiftData that is built twice: unchanged, with the product `SwiftData`, and with only its imports
// changed, with the product `Chronicle`.
//
// The other targets are model layers of the shapes that are common in code for SwiftData, one for each subject. They are
// built unchanged. `Members` uses every member of SwiftData that Chronicle has; see Documentation/Moving.md.
let layers = [
    "Autosaving", "Batches", "Composing", "Configurations", "CustomStores", "Declarations", "Decoding", "Inheritance",
    "Invitations", "Isolation", "Members", "Migrations", "Notifications", "Observing", "Outbox", "Previews", "Queries",
    "Repositories", "Services", "Tracking", "Upserts", "Usages", "UsagesInSwift5",
]

// `DataStore` requires `Sendable`, and SwiftData's does not: a store with variables is code for Swift 5.
let inSwift5 = ["CustomStores", "Declarations", "UsagesInSwift5"]

let package = Package(
    name: "Moving",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named explicitly, because the folder of a clone may have any name.
        .package(name: "chronicle", path: "../..")
    ],
    targets: [
        .target(name: "Trips", dependencies: [.product(name: "SwiftData", package: "chronicle")]),
        .target(
            name: "MovedTrips", dependencies: [.product(name: "Chronicle", package: "chronicle")],
            plugins: ["ChangeImport"]),
        .plugin(name: "ChangeImport", capability: .buildTool()),
        .testTarget(
            name: "MovingTests",
            dependencies: ["Trips", "MovedTrips"] + layers.map { .target(name: $0) }),
    ]
        + layers.map { name in
            .target(
                name: name, dependencies: [.product(name: "SwiftData", package: "chronicle")],
                swiftSettings: inSwift5.contains(name) ? [.swiftLanguageMode(.v5)] : [])
        },
    swiftLanguageModes: [.v6]
)
