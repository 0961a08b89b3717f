// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "chronicle-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named explicitly, because the folder of a clone may have any name.
        .package(name: "chronicle", path: "..")
    ],
    targets: [
        // A separate module for sqlite3.h, so that the baseline shares no code with Chronicle.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["CSQLite", .product(name: "Chronicle", package: "chronicle")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
