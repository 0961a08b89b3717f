import ChronicleFaultShim
import ChronicleTestSupport
import Foundation

/// The contents of the files of a directory by name.
typealias Files = [String: Data]

/// What the disk may contain after a power failure during a recorded run.
///
/// A write, a truncation, or a change of the directory is *pending* until the file or the directory is synchronized. After a
/// power failure, the disk has every pending call or not, in any combination, because a sector has what was written to it
/// last: another order of calls is a combination without some of them. With up to six other pending calls, there is an image
/// for each combination; with more, for 64 of them. The last call is also *torn*: only some of its sectors, or only its first
/// or last bytes, are on the disk.
///
/// Further images, after each acknowledged step, contain combinations of all calls that are pending then.
struct PowerFailure {
    let events: UnsafeBufferPointer<fault_event>
    /// The files when the recording began, which are on the disk.
    let base: Files
    let seed: UInt64

    /// An image and the steps that had begun and were acknowledged before it.
    struct Image {
        let number: Int
        let files: Files
        let begun: Int
        let acknowledged: Int
    }

    /// The calls whose effects an image has, by index, the last one only in part.
    private struct Selection {
        var calls: [Int]
        /// The bytes of the last call.
        var torn: [Range<Int>]?
    }

    private static let combinations = 64
    private static let tears = 8

    /// Returns the number of images.
    var count: Int {
        var count = 0
        _ = forEach(in: nil) { _ in
            count += 1
            return true
        }
        return count
    }

    /// Makes images, in the same order each time.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the images to make, or `nil` to count all without making their files.
    ///   - body: A closure that returns `false` to end.
    func forEach(in numbers: Set<Int>?, _ body: (Image) -> Bool) -> Bool {
        var disk = Disk(base)
        var pending: [Int] = []
        var (begun, acknowledged, number) = (0, 0, 0)
        var random = SplitMix(state: seed)

        func visit(_ selections: [Selection]) -> Bool {
            for selection in selections {
                defer { number += 1 }
                guard let numbers else {
                    _ = body(Image(number: number, files: [:], begun: begun, acknowledged: acknowledged))
                    continue
                }
                guard numbers.contains(number) else { continue }
                var image = disk
                for call in selection.calls {
                    let isLast = call == selection.calls.last
                    image.apply(events[call], isLast ? selection.torn : nil)
                }
                let isLast = !body(
                    Image(number: number, files: image.namedFiles, begun: begun, acknowledged: acknowledged))
                if isLast { return false }
            }
            return true
        }

        for (index, event) in events.enumerated() {
            switch Int(event.type) {
            case FAULT_MARK:
                let isAcknowledgement = Int(event.length) > acknowledged
                (begun, acknowledged) = (Int(event.offset), Int(event.length))
                if isAcknowledgement, !visit(combinations(of: pending, &random).map { Selection(calls: $0) }) {
                    return false
                }
            case FAULT_FOUND: disk.apply(event)
            case FAULT_SYNCED:
                for call in pending where events[call].file == event.file { disk.apply(events[call]) }
                pending.removeAll { events[$0].file == event.file && !events[$0].changesDirectory }
            case FAULT_DIRECTORY_SYNCED:
                for call in pending where events[call].changesDirectory { disk.apply(events[call]) }
                pending.removeAll { events[$0].changesDirectory }
            default:
                var selections = combinations(of: pending, &random).map { Selection(calls: $0 + [index]) }
                if Int(event.type) == FAULT_WRITTEN {
                    for tear in 0..<Self.tears {
                        let others = pending.filter { _ in random.below(3) > 0 }
                        selections.append(Selection(calls: others + [index], torn: self.tear(event, tear, &random)))
                    }
                }
                pending.append(index)
                if !visit(selections) { return false }
            }
        }
        return true
    }

    private func combinations(of calls: [Int], _ random: inout SplitMix) -> [[Int]] {
        if calls.count <= 6 {
            return (0..<1 << calls.count).map { mask in
                calls.indices.filter { mask & 1 << $0 != 0 }.map { calls[$0] }
            }
        }
        return (0..<Self.combinations).map { number in
            // All, none, and mixtures with many or few of them.
            let weight = [10, 0, 1, 5, 9][number < 2 ? number : 2 + number % 3]
            return calls.filter { _ in random.below(10) < weight }
        }
    }

    /// Returns the bytes of a torn write that reach the disk.
    private func tear(_ event: fault_event, _ kind: Int, _ random: inout SplitMix) -> [Range<Int>] {
        let (start, count) = (Int(event.offset), Int(event.length))
        let cut = 1 + random.below(count - 1)
        switch kind {
        case 0: return [0..<cut]
        case 1: return [cut..<count]
        default:
            // Sectors of 512 bytes, which need not begin with the write.
            var (sectors, next): ([Range<Int>], Int) = ([], 0)
            while next < count {
                let end = min(count, (start + next) / 512 * 512 + 512 - start)
                sectors.append(next..<end)
                next = end
            }
            let boundary = random.below(sectors.count + 1)
            switch kind {
            case 2, 3: return Array(sectors[..<boundary])
            case 4, 5: return Array(sectors[boundary...])
            default: return sectors.filter { _ in random.below(2) == 0 }
            }
        }
    }
}

/// The files and names that are on a disk.
private struct Disk {
    /// The files by number. Those that existed before the recording get one when they are opened.
    private var contents: [Int32: Data] = [:]
    private var names: [String: Int32] = [:]
    private var found: Files

    init(_ base: Files) { found = base }

    var namedFiles: Files {
        var files = found
        for (name, file) in names { files[name] = contents[file] ?? Data() }
        return files
    }

    mutating func apply(_ event: fault_event, _ torn: [Range<Int>]? = nil) {
        switch Int(event.type) {
        case FAULT_FOUND:
            names[event.path] = event.file
            contents[event.file] = found.removeValue(forKey: event.path)
        case FAULT_CREATED:
            names[event.path] = event.file
        case FAULT_REMOVED:
            names[event.path] = nil
            found[event.path] = nil
        case FAULT_RENAMED:
            names[event.otherPath] = names.removeValue(forKey: event.path)
            found[event.otherPath] = found.removeValue(forKey: event.path)
        case FAULT_TRUNCATED:
            contents[event.file, default: Data()].count = Int(event.offset)
        case FAULT_WRITTEN:
            var content = contents.removeValue(forKey: event.file) ?? Data()
            for range in torn ?? [0..<Int(event.length)] where !range.isEmpty {
                let place = Int(event.offset) + range.lowerBound..<Int(event.offset) + range.upperBound
                if content.count < place.upperBound { content.count = place.upperBound }
                content.replaceSubrange(place, with: event.data + range.lowerBound, count: range.count)
            }
            contents[event.file] = content
        default: break
        }
    }
}

extension fault_event {
    fileprivate var path: String { String(cString: name) }
    fileprivate var otherPath: String { String(cString: other) }

    fileprivate var changesDirectory: Bool { [FAULT_CREATED, FAULT_REMOVED, FAULT_RENAMED].contains(Int(type)) }
}
