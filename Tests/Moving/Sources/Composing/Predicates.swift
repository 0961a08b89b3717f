import Foundation
import SwiftData

extension Clip {
    public static func copied(in period: Range<Date>) -> Predicate<Clip> {
        let (start, end) = (period.lowerBound, period.upperBound)
        return #Predicate { (start..<end).contains($0.copied) }
    }

    public static func expired(at date: Date) -> Predicate<Clip> {
        #Predicate { clip in
            if let expires = clip.expires { expires <= date } else { false }
        }
    }

    public static func labeled(_ names: Set<String>) -> Predicate<Clip> {
        #Predicate { clip in clip.labels.contains { names.contains($0.name) } }
    }

    public static func pinned(atLeast count: Int) -> Predicate<Clip> {
        #Predicate { clip in clip.labels.filter { $0.isPinned }.count >= count }
    }

    public static func from(_ name: String) -> Predicate<Clip> {
        #Predicate { clip in clip.source?.name == name || clip.text == name }
    }

    public static func matching(_ search: String) -> Predicate<Clip> {
        #Predicate { clip in
            search.isEmpty
                ? true
                : (clip.text?.localizedStandardContains(search) ?? false)
                    || clip.source?.name.localizedStandardContains(search) == true
        }
    }

    public static let unused = #Predicate<Clip> { $0.uses == 0 && $0.labels.isEmpty && $0.source == nil }
    public static let even = #Predicate<Clip> { $0.uses % 2 == 0 }
    public static let onlyPinned = #Predicate<Clip> { $0.labels.allSatisfy { $0.isPinned } }
    public static let everything = #Predicate<Clip> { _ in true }
}

extension Source {
    public static func busy(_ kind: Clip.Kind, uses: Int) -> Predicate<Source> {
        let raw = kind.rawValue
        return #Predicate { source in
            source.clips?.contains { $0.kind == raw && $0.uses >= uses } ?? false
        }
    }
}
